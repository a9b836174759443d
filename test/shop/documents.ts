import { FACET_VALUES } from './assortment.ts';
import { catalogPath, WHOLE_CATALOG, type Selection } from './facets.ts';
import type { Rule } from './commands.ts';
import type { Offer } from './shelf.ts';

/** How documents are made, the same for all of them. */
export interface DocumentOptions {
  /** The origin that canonicals name. */
  readonly publicOrigin: string;
  /** Whether the canonical stands in the server's HTML or is set by the script. */
  readonly canonicalIn: 'server' | 'script';
  /** How long the script waits after it has the data, in ms. */
  readonly scriptDelayMs: number;
}

type Overrides = Pick<Rule, 'canonical' | 'head'>;

/** The name of the shop, in titles and on the page. */
export const SHOP_NAME = 'Alder & Loom';

/** The product page as the server sends it: a shell without title, price and structured data. */
export function productDocument(offer: Offer, options: DocumentOptions, overrides: Overrides = {}): string {
  return shell(
    { page: 'product', id: String(offer.id), canonical: offer.path },
    `<nav class="crumbs" id="crumbs"><span class="bone bone-line"></span></nav>
<section class="product">
  <div class="gallery"><div class="frame" id="gallery"><span class="bone bone-fill"></span></div></div>
  <div class="details" id="details" aria-busy="true">
    <span class="bone bone-line"></span><span class="bone bone-title"></span><span class="bone bone-line"></span>
    <span class="bone bone-block"></span>
  </div>
</section>
<section class="more" id="more" hidden><h2>You may also like</h2><ul class="grid" id="grid"></ul></section>`,
    options,
    overrides,
  );
}

/** The catalog page as the server sends it: a shell without title, products and structured data. */
export function catalogDocument(selection: Selection, options: DocumentOptions, overrides: Overrides = {}): string {
  return shell(
    { page: 'catalog', canonical: selection.canonicalPath },
    `<nav class="crumbs" id="crumbs"><span class="bone bone-line"></span></nav>
<header class="listing"><h1 id="heading"><span class="bone bone-title"></span></h1><p id="count"></p></header>
<div class="shelf"><aside class="facets" id="facets"></aside>
<ul class="grid" id="grid" aria-busy="true">${'<li class="card"><span class="bone bone-card"></span></li>'.repeat(8)}</ul></div>`,
    options,
    overrides,
  );
}

/** The front page and the cart, which need no script. */
export function plainDocument(title: string, body: string, head: string): string {
  return document(`<title>${escapeHtml(title)}</title>${head}`, '', body);
}

/** Makes text safe inside HTML text and attribute values. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function shell(
  page: { page: string; id?: string; canonical: string },
  main: string,
  options: DocumentOptions,
  overrides: Overrides,
): string {
  const canonical = overrides.canonical === undefined ? options.publicOrigin + page.canonical : overrides.canonical;
  const inServer = options.canonicalIn === 'server' || overrides.canonical !== undefined;
  const link = inServer && canonical !== null ? `<link rel="canonical" href="${escapeHtml(canonical)}">` : '';
  const data = [
    `data-page="${page.page}"`,
    page.id === undefined ? '' : `data-id="${page.id}"`,
    `data-origin="${escapeHtml(options.publicOrigin)}"`,
    `data-delay="${options.scriptDelayMs}"`,
    `data-canonical="${inServer ? 'server' : 'script'}"`,
  ];
  return document(
    `<title></title>${link}<script src="/assets/app.js" defer></script>${overrides.head ?? ''}`,
    data.filter((attribute) => attribute !== '').join(' '),
    main,
  );
}

function document(head: string, bodyAttributes: string, main: string): string {
  const menu = ['Bath Towels', 'Throw Pillows', 'Table Lamps', 'Curtains', 'Coffee Mugs'].map((name) => {
    const path = catalogPath(new Map([['Silhouette', new Set([name])]]));
    return `<a href="${escapeHtml(path)}">${name}</a>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="preload" href="/fonts/inter.woff2" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="/assets/site.css">
<link rel="icon" href="/logo" type="image/png">
<link rel="manifest" href="/site.webmanifest">
${head}
</head>
<body ${bodyAttributes}>
<p class="banner">Free delivery over $50 · 30 days to change your mind</p>
<header class="top">
<a class="brand" href="/"><img src="/logo" alt="" width="28" height="28">${escapeHtml(SHOP_NAME)}</a>
<nav class="menu">${menu.join('')}<a href="${WHOLE_CATALOG}">All ${FACET_VALUES.Silhouette.length} departments</a></nav>
<a class="cart" href="/cart" rel="nofollow">Cart</a>
</header>
<main>
${main}
</main>
<footer class="bottom"><p>${escapeHtml(SHOP_NAME)} — things for the home, made to stay.</p></footer>
</body>
</html>
`;
}
