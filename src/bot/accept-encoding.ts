import Negotiator from 'negotiator';
import { PAGE_ENCODINGS, type PageEncoding } from '../page/etag.ts';
import { createGenerationCache } from './identity/generation-cache.ts';

const CACHE_SIZE = 512;
const CACHED_LENGTH = 256;
const READ_LIMIT = 2_048;

/**
 * Chooses the encoding of a page by the Accept-Encoding header; of equally welcome ones gzip, which is stored. A client that
 * names no encoding, or none of ours, gets the plain bytes. Remembers the headers seen.
 */
export function createEncodingChooser(): (header: string | null | undefined) => PageEncoding {
  const seen = createGenerationCache<PageEncoding>(CACHE_SIZE);
  return (header) => {
    if (!header) return 'identity';
    const known = seen.get(header);
    if (known !== undefined) return known;
    const chosen = choose(header.slice(0, READ_LIMIT));
    if (header.length <= CACHED_LENGTH) seen.set(header, chosen);
    return chosen;
  };
}

/** Negotiator 1.x; its published types are those of 0.6, which knew no preference. */
interface PreferringNegotiator {
  encodings(available: string[], options: { preferred: string[] }): string[];
}

function choose(header: string): PageEncoding {
  const negotiator: PreferringNegotiator = new Negotiator({ headers: { 'accept-encoding': header } });
  const [best] = negotiator.encodings([...PAGE_ENCODINGS], { preferred: [...PAGE_ENCODINGS] });
  return PAGE_ENCODINGS.find((encoding) => encoding === best) ?? 'identity';
}
