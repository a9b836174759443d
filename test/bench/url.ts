import { createCanonicalizer, DEFAULT_CANONICALIZER_OPTIONS } from '../../src/url/canonicalize-url.ts';

/** What a shop's crawlers ask for: mostly plain, some escaped, some with facets, a few that need the full parser. */
const SAMPLES = [
  'https://www.shop.example/product/prd-1234567/mens-trail-running-shoes.jsp',
  'https://www.shop.example/product/prd-7654321/womens-rain-jacket.jsp?color=red&size=5',
  'https://www.shop.example/catalog/womens-dresses.jsp?CN=Gender:Womens+Department:Clothing&S=1&PPP=48',
  'https://www.shop.example/catalog/shoes.jsp?CN=Gender%3AMens%2BSize%3A10&utm_source=x&gclid=abc123',
  'https://www.shop.example/de/stra%C3%9Fe/gr%c3%bcn%2Fblau',
  'https://www.shop.example/search?q=blue%20shoe&page=2&sort=price',
  'https://SHOP.example:443/a/../b/./c#top',
  'https://www.shop.example/',
] as const;

/** Microseconds that a canonical URL may take on average. */
const TARGET_US = 2.5;

/** Measures `canonicalizeUrl` over a mix of URLs: median of several rounds. */
export async function benchUrl({ small }: { small: boolean }): Promise<void> {
  const canonicalize = createCanonicalizer(DEFAULT_CANONICALIZER_OPTIONS);
  const rounds = small ? 5 : 15;
  const perRound = small ? 20_000 : 100_000;
  const times: number[] = [];
  let length = 0;
  for (let round = 0; round < rounds; round++) {
    // A string of its own each time: the engine would remember the hash of one it has seen.
    const urls = Array.from({ length: perRound }, (_, i) => `${SAMPLES[i % SAMPLES.length]}`);
    const startedAt = performance.now();
    for (const url of urls) {
      const result = canonicalize(url, ['*']);
      if (result.ok) length += result.url.length;
    }
    times.push(((performance.now() - startedAt) / perRound) * 1000);
  }
  times.sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? NaN;
  const verdict = median <= TARGET_US ? 'reached' : 'MISSED';
  console.log(
    `canonicalizeUrl: ${median.toFixed(2)} µs (to reach: ≤ ${TARGET_US} µs, ${verdict}; ${length} characters)`,
  );
}
