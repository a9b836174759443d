import { ADDRESS_MARK } from './address-mask.ts';

/** The longest name that is derived, in characters. */
export const MAX_DERIVED_NAME = 40;

/** Products, platforms and placeholders that say nothing about who is calling; by first word, lower-case. */
const NOT_A_NAME: ReadonlySet<string> = new Set(
  `mozilla applewebkit webkit khtml gecko like chrome chromium crios crmo safari mobile mobilesafari version firefox fxios
  edg edge edga edgios opr opera opios opt presto msie trident ie windows win32 win64 wow64 linux android x11 u macintosh mac
  iphone ipad ipod ios cros ubuntu fedora debian freebsd openbsd netbsd sunos unix haiku beos amiga os2 symbian symbianos
  palmos webos tizen kaios konqueror icab avant maxthon netscape seamonkey galeon epiphany camino k-meleon omniweb dillo
  netfront blazer abrowse lynx w3m links elinks silk samsungbrowser ucbrowser ubrowser ucweb yabrowser vivaldi brave ddg duckduckgo
  gsa electron instagram fban line micromessenger dalvik cfnetwork darwin aol webtv nook playstation nintendo xbox
  browser compatible null undefined none nil unknown other user-agent useragent test http https`.split(/\s+/),
);

/** Phones and app runtimes: an app's or a phone's User-Agent starts with a product, and that is not a crawler's name. */
const HANDHELD = new RegExp(
  'android|iphone|ipad|ipod|symbian|blackberry|windows (?:phone|ce)|sonyericsson|vodafone|docomo|portalmmm|midp|cldc|' +
    'netfront|up\\.(?:browser|link)|cfnetwork|darwin/|dalvik|fbav/',
  'i',
);
const ENGINE_OR_DESKTOP = /webkit|gecko\/|trident|msie|opera|netbsd|\((?:windows|macintosh|x11);/i;
/** A browser neither writes anything before `Mozilla` nor gives an address to complain to. */
const NOT_A_BROWSER = new RegExp(`^[^(]*\\S\\s\\(?mozilla/|\\+${ADDRESS_MARK}`, 'i');

const COMPATIBLE_SLOT = /\bcompatible(?:[;:,][\s;:,+]*|\)?\s+)([A-Za-z\d][^;()[\],]*)/i;
const LEADING_PRODUCT = /^[\s"']*(?:mozilla\/[\d.]+\s+)?([A-Za-z\d][^;()[\]{},:+"]*)/i;
const ROBOT_WORD = /(?:bot|crawl(?:er)?|spider|spyder|scraper)s?(?![a-z])/gi;
/** A product right in front of a bracketed or plus-marked address: `Name/1.0 (+http…`, `Name; +http…`, `Name (http…`. */
const PRODUCT_WITH_CONTACT = new RegExp(
  `([A-Za-z][\\w.-]{1,${MAX_DERIVED_NAME}})(?:/[\\w.~-]{0,20})?` +
    `(?:[\\s;,]{0,3}\\(?\\s{0,3}\\+|\\s{0,3}\\()\\s{0,3}${ADDRESS_MARK}`,
  'i',
);
/** The comment that names a phone or tablet, up to its end: `Mozilla/5.0 (Linux; Android 9; CUBOT_X19`. */
const DEVICE_COMMENT = /^[^(]*\([^()]*(?:android|windows phone|tizen|kaios|mobile|tablet)[^()]*/i;
/** The first version behind a space, hyphen or underscore, and all that follows it. */
const VERSION = /[\s_-]v?\d[\d.]*(?![A-Za-z\d]).*/i;
const STANDALONE_ROBOT = /^(?:ro)?bot$|^crawl(?:er)?$|^spider$|^scraper$/i;

/** A bounded printable name without its version, or `undefined` when what is left names nobody. */
function toName(raw: string): string | undefined {
  const product = raw.slice(0, 4 * MAX_DERIVED_NAME).split(/[/\u007f]|\s-\s|\smozilla\b/i, 1)[0] ?? '';
  const words = product
    .replace(/[!'&]/g, '')
    .replace(/[^\w .-].*/s, '')
    .replace(VERSION, '')
    .split(/\s+/)
    .filter((word) => word !== '');
  while (words.length > 1 && words.join(' ').length > MAX_DERIVED_NAME) words.pop();
  const name = words.join(' ').replace(/^[._-]+|[._-]+$/g, '');
  if (name.length > MAX_DERIVED_NAME || !/[A-Za-z]{2}/.test(name)) return undefined;
  return NOT_A_NAME.has((words[0] ?? '').toLowerCase()) ? undefined : name;
}

function fromCompatibleSlot(text: string): string | undefined {
  const slot = COMPATIBLE_SLOT.exec(text)?.[1];
  return slot === undefined ? undefined : toName(slot);
}

function fromLeadingProduct(text: string): string | undefined {
  const lead = LEADING_PRODUCT.exec(text)?.[1];
  if (lead === undefined || HANDHELD.test(text)) return undefined;
  return ENGINE_OR_DESKTOP.test(text) && !NOT_A_BROWSER.test(text) ? undefined : toName(lead);
}

const isTokenCharacter = (character: string): boolean => /[\w.!-]/.test(character);

/** The token around `[start, end)`, read at most one name's length to each side so that junk stays cheap. */
function tokenAround(text: string, start: number, end: number): { token: string; start: number } {
  let left = start;
  while (left > 0 && start - left <= MAX_DERIVED_NAME && isTokenCharacter(text.charAt(left - 1))) left--;
  let right = end;
  while (right < text.length && right - end <= MAX_DERIVED_NAME && isTokenCharacter(text.charAt(right))) right++;
  return { token: text.slice(left, right), start: left };
}

/**
 * A token with bot, crawler, spider or scraper in it. The comment that names a phone or tablet is left out, and so is the
 * phone maker CUBOT wherever an app repeats the model.
 */
function fromRobotWord(text: string): string | undefined {
  let searchFrom = DEVICE_COMMENT.exec(text)?.[0].length ?? 0;
  for (const match of text.matchAll(ROBOT_WORD)) {
    if (match.index < searchFrom) continue;
    const { token, start } = tokenAround(text, match.index, match.index + match[0].length);
    searchFrom = start + token.length;
    if (/^cubot/i.test(token)) continue;
    const before = STANDALONE_ROBOT.test(token)
      ? (/([A-Za-z][\w.-]{0,30}) $/.exec(text.slice(Math.max(0, start - 40), start))?.[1] ?? '')
      : '';
    const name = toName(`${before} ${token}`.trim()) ?? toName(token);
    if (name !== undefined) return name;
  }
  return undefined;
}

function fromContact(text: string): string | undefined {
  if (!text.includes(ADDRESS_MARK)) return undefined;
  const product = PRODUCT_WITH_CONTACT.exec(text)?.[1];
  return product === undefined ? undefined : toName(product);
}

/**
 * A name for a crawler that no list knows, from what its User-Agent says about itself; `undefined` for browsers, apps
 * and strings that name nobody. In this order: the `compatible; Name/1.0` slot, the leading product, a token with
 * bot/crawler/spider, a product that gives a contact address.
 * At most {@link MAX_DERIVED_NAME} characters of `A-Z a-z 0-9 . _ -` and space, without version.
 * `text` is a User-Agent whose addresses are masked (see address-mask.ts).
 */
export function deriveName(text: string): string | undefined {
  return fromCompatibleSlot(text) ?? fromLeadingProduct(text) ?? fromRobotWord(text) ?? fromContact(text);
}
