/** Headers of a render that are kept with the page. Never a cookie, a validator, or one that is about a connection. */
export const STORED_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'content-language',
  'link',
  'location',
  'retry-after',
  'x-robots-tag',
]);

const VALUE_LIMIT = 4_096;
// eslint-disable-next-line no-control-regex -- control characters are what must not get into a header
const UNSAFE_VALUE = /[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]/;

/** The headers to store: names of the allow-list in lower case, values that Node can send. */
export function selectStoredHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    if (!STORED_HEADERS.has(key) || typeof value !== 'string') continue;
    if (value.length <= VALUE_LIMIT && !UNSAFE_VALUE.test(value)) kept[key] = value;
  }
  return kept;
}
