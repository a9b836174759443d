import { FACET_GROUPS, FACET_VALUES, type FacetGroup } from './assortment.ts';
import { catalogPath, WHOLE_CATALOG } from './facets.ts';
import { ok, withValidators, type Answer } from './answer.ts';
import { escapeHtml } from './documents.ts';
import type { Shelf } from './shelf.ts';

/** What the sitemaps need to know. */
export interface SitemapOptions {
  readonly publicOrigin: string;
  /** Entries of one product child. */
  readonly entriesPerSitemap: number;
}

const XML = 'application/xml; charset=utf-8';
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const CATALOG_CHANGED = Date.UTC(2026, 4, 1);

/** Answers `/robots.txt`, `/sitemap.xml` and its children; undefined for any other path and for children that do not exist. */
export function sitemapAnswer(path: string, shelf: Shelf, options: SitemapOptions): Answer | undefined {
  if (path === '/robots.txt') return ok('text/plain; charset=utf-8', robots(options.publicOrigin));
  if (path === '/sitemap.xml') return index(shelf, options);
  if (path === '/sitemap-catalog.xml') return catalogChild(shelf, options);
  const page = Number(/^\/sitemap-products-([1-9]\d*)\.xml$/.exec(path)?.[1]);
  return page >= 1 && page <= productPages(shelf, options) ? productChild(page, shelf, options) : undefined;
}

function robots(origin: string): string {
  return `User-agent: *\nDisallow: /cart\nDisallow: /checkout\nDisallow: /search\n\nSitemap: ${origin}/sitemap.xml\n`;
}

function productPages(shelf: Shelf, options: SitemapOptions): number {
  return Math.ceil(shelf.listedCount() / options.entriesPerSitemap);
}

function index(shelf: Shelf, options: SitemapOptions): Answer {
  const names = Array.from({ length: productPages(shelf, options) }, (_, n) => `/sitemap-products-${n + 1}.xml`);
  const entries = [...names, '/sitemap-catalog.xml'].map(
    (name) => `  <sitemap>\n    <loc>${options.publicOrigin}${name}</loc>\n  </sitemap>\n`,
  );
  return withValidators(ok(XML, xml('sitemapindex', NAMESPACE, entries)));
}

// The children hold a fixed number of entries, so one departure moves entries of every later child, as in real shops.
function productChild(page: number, shelf: Shelf, { publicOrigin, entriesPerSitemap }: SitemapOptions): Answer {
  const offers = shelf.listed((page - 1) * entriesPerSitemap, entriesPerSitemap);
  const entries = offers.map(({ id, path, changedAt }) =>
    entry(
      publicOrigin + path,
      changedAt,
      `    <image:image><image:loc>${publicOrigin}/i/${id}.svg</image:loc></image:image>\n`,
    ),
  );
  const images = `${NAMESPACE} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"`;
  const changedAt = Math.max(shelf.listingChangedAt(), ...offers.map((offer) => offer.changedAt));
  return withValidators(ok(XML, xml('urlset', images, entries)), changedAt);
}

function catalogChild(shelf: Shelf, { publicOrigin }: SitemapOptions): Answer {
  const entries = catalogPaths(shelf).map((path) => entry(publicOrigin + path, CATALOG_CHANGED));
  return withValidators(
    ok(XML, xml('urlset', NAMESPACE, entries)),
    Math.max(CATALOG_CHANGED, shelf.listingChangedAt()),
  );
}

/** Paths of the catalog pages that the sitemap lists: the whole, each facet, and Color or Brand within a Silhouette, with products. */
export function catalogPaths(shelf: Shelf): string[] {
  const facets = FACET_GROUPS.flatMap((group) =>
    FACET_VALUES[group].map((value) => [group, new Set([value])] as const),
  );
  const departments = facets.filter(([group]) => group === 'Silhouette');
  const others = facets.filter(([group]) => group !== 'Silhouette');
  const selections = [
    ...facets.map((facet) => new Map([facet])),
    ...departments.flatMap((department) =>
      others.map((other) => new Map<FacetGroup, Set<string>>([other, department])),
    ),
  ];
  return [WHOLE_CATALOG, ...selections.filter((wanted) => shelf.first(wanted, 1).length > 0).map(catalogPath)];
}

function entry(loc: string, changedAt: number, extra = ''): string {
  return `  <url>\n    <loc>${escapeHtml(loc)}</loc>\n    <lastmod>${new Date(changedAt).toISOString().replace('.000', '')}</lastmod>\n${extra}  </url>\n`;
}

function xml(root: string, namespaces: string, entries: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} ${namespaces}>\n${entries.join('')}</${root}>\n`;
}
