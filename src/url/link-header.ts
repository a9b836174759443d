const LINK = /<([^<>]*)>((?:\s*;\s*[^\s;,="]+(?:\s*=\s*(?:"[^"]*"|[^\s;,"]*))?)*)/g;
const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i;
const READ_LIMIT = 8_192;

/** URLs that a Link header (RFC 8288) declares as canonical, as they are written. */
export function canonicalLinks(header: string | undefined): string[] {
  if (header === undefined || !header.toLowerCase().includes('canonical')) return [];
  const found: string[] = [];
  for (const [, url = '', parameters = ''] of header.slice(0, READ_LIMIT).matchAll(LINK)) {
    const rel = REL.exec(parameters);
    const relations = (rel?.[1] ?? rel?.[2] ?? '').toLowerCase().split(/\s+/);
    if (relations.includes('canonical')) found.push(url);
  }
  return found;
}
