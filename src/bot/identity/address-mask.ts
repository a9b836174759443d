/** Stands where an address stood. Never part of a name. */
export const ADDRESS_MARK = '\u007f';

/** Addresses end at white space and at what encloses them. */
const REST = '[^\\s();,"\'<>[\\]{}]*';
/** Behind a bare host a path must follow: `shop.com/bot` is an address, `Shop.com/2.0` is a product. */
const URL_OR_HOST = new RegExp(
  `(?:https?://|mailto:|www\\.)${REST}|(?<![a-z\\d-])[a-z\\d-]{1,63}\\.(?:com|org|net|io|ai|de|eu|ru|uk|co|info)/[a-z]${REST}`,
  'gi',
);

function isLocalPart(code: number): boolean {
  return isDomainPart(code) || code === 43 || code === 95;
}

function isDomainPart(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 45 ||
    code === 46
  );
}

/** Scans outwards from each `@`; a pattern that starts with a run of name characters would be quadratic in long junk. */
function maskMailAddresses(text: string): string {
  let masked = '';
  let done = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > done && isLocalPart(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (end < text.length && isDomainPart(text.charCodeAt(end))) end++;
    if (start === at || end === at + 1) continue;
    masked += text.slice(done, start) + ADDRESS_MARK;
    done = end;
  }
  return masked + text.slice(done);
}

/**
 * Replaces every URL and e-mail address by {@link ADDRESS_MARK}: whom to write to is not who is calling
 * (`adidxbot/1.1 (+http://search.msn.com/msnbot.htm)`). Returns the same string when there is none.
 */
export function maskAddresses(text: string): string {
  const withoutUrls = text.replace(URL_OR_HOST, ADDRESS_MARK);
  return withoutUrls.includes('@') ? maskMailAddresses(withoutUrls) : withoutUrls;
}
