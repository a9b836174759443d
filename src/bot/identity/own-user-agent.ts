/** What may stand before a product token: nothing, white space or the start of a comment or of its next part. */
const BEFORE = new Set(['', ' ', '\t', '(', ';', ',']);
/** What may stand behind a product token: nothing, its version, white space or the end of a comment or of its part. */
const AFTER = new Set(['', '/', ' ', '\t', ')', ';', ',']);

/**
 * Whether a User-Agent is that of this service's own render worker or origin fetch, also when a crawler's name was added to
 * it. Such a request goes to the origin and is never looked up, counted or minted.
 * `productToken` is the product with or without a version (`HarperPrerender`, `HarperPrerender/1.0`): the version is not
 * compared, so that a node still knows the workers of another release. The whole string is searched, however long it is.
 */
export function isOwnUserAgent(userAgent: string | undefined, productToken: string): boolean {
  const product = (productToken.split('/', 1)[0] ?? '').trim().toLowerCase();
  if (userAgent === undefined || product === '') return false;
  const text = userAgent.toLowerCase();
  for (let at = text.indexOf(product); at !== -1; at = text.indexOf(product, at + 1)) {
    if (BEFORE.has(text.charAt(at - 1)) && AFTER.has(text.charAt(at + product.length))) return true;
  }
  return false;
}
