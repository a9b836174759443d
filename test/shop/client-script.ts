/**
 * The shop's browser script, `/assets/app.js`: asks the API for the page's data after load, waits a little as real pages
 * do, then fills in title, description, structured data, price and grid, and the canonical unless the server sent it.
 */
export const CLIENT_SCRIPT = String.raw`(() => {
'use strict';
const { page, id, origin, delay, canonical } = document.body.dataset;
const at = (name) => document.getElementById(name);
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child !== null));
  return element;
};
const money = (price) => '$' + price;
const stars = (rating) => '★'.repeat(Math.round(rating)) + '☆'.repeat(5 - Math.round(rating));

function head(title, description, structured, canonicalUrl) {
  document.title = title + ' | Alder & Loom';
  document.head.append(make('meta', { name: 'description', content: description }));
  document.head.append(make('script', { type: 'application/ld+json', textContent: JSON.stringify(structured) }));
  if (canonical === 'script') document.head.append(make('link', { rel: 'canonical', href: canonicalUrl }));
}

function crumbs(...links) {
  at('crumbs').replaceChildren(...links.flatMap(([text, href], index) => [
    index === 0 ? '' : ' / ', href ? make('a', { href, textContent: text }) : make('span', { textContent: text }),
  ]));
}

function card(product) {
  return make('li', { className: 'card' }, make('a', { href: product.path },
    make('span', { className: 'frame' }, make('img', { src: product.image, alt: product.name, width: 400, height: 400 })),
    make('span', { className: 'card-brand', textContent: product.brand }),
    make('span', { className: 'card-name', textContent: product.name }),
    make('span', { className: 'card-price', textContent: money(product.price) }),
    make('span', { className: 'stars', textContent: stars(product.rating), ariaLabel: product.rating + ' of 5' }),
  ));
}

function showProduct(product) {
  crumbs(['Home', '/'], [product.department.name, product.department.path], [product.name]);
  at('gallery').replaceChildren(make('img', { src: product.image, alt: product.name, width: 800, height: 800 }));
  const details = at('details');
  details.replaceChildren(
    make('p', { className: 'card-brand', textContent: product.brand }),
    make('h1', { textContent: product.name }),
    make('p', { className: 'stars', textContent: stars(product.rating) + ' ' + product.rating + ' (' + product.reviews + ' reviews)' }),
    make('p', { className: 'price', id: 'price', textContent: money(product.price) }),
    make('p', { className: product.inStock ? 'stock in' : 'stock out', textContent: product.inStock ? 'In stock, ships tomorrow' : 'Sold out' }),
    make('button', { className: 'buy', type: 'button', disabled: !product.inStock, textContent: product.inStock ? 'Add to cart' : 'Tell me when it is back' }),
    make('p', { className: 'description', textContent: product.description }),
    make('dl', { className: 'facts' },
      make('dt', { textContent: 'Color' }), make('dd', { textContent: product.colour }),
      make('dt', { textContent: 'Article' }), make('dd', { textContent: product.sku }),
      make('dt', { textContent: 'Delivery' }), make('dd', { textContent: '2 to 4 working days' })),
  );
  details.removeAttribute('aria-busy');
  if (product.related.length > 0) {
    at('grid').replaceChildren(...product.related.map(card));
    at('more').hidden = false;
  }
  head(product.name + ' by ' + product.brand, product.description, {
    '@context': 'https://schema.org', '@type': 'Product', name: product.name, sku: product.sku, productID: product.id,
    description: product.description, image: origin + product.image, url: product.canonical,
    brand: { '@type': 'Brand', name: product.brand },
    aggregateRating: { '@type': 'AggregateRating', ratingValue: product.rating, reviewCount: product.reviews },
    offers: {
      '@type': 'Offer', url: product.canonical, price: product.price, priceCurrency: product.currency,
      availability: 'https://schema.org/' + (product.inStock ? 'InStock' : 'OutOfStock'),
    },
  }, product.canonical);
}

function showCatalog(catalog) {
  crumbs(['Home', '/'], ['Catalog', '/catalog/all-products.jsp'], [catalog.title]);
  at('heading').textContent = catalog.title;
  at('count').textContent = catalog.total === 1 ? '1 product' : catalog.total + ' products';
  at('facets').replaceChildren(...catalog.facets.map(({ group, values }) => make('section', {},
    make('h2', { textContent: group }),
    make('ul', {}, ...values.map(({ value, selected, path }) => make('li', {},
      make('a', { href: path, className: selected ? 'selected' : '', textContent: value })))))));
  const grid = at('grid');
  grid.replaceChildren(...(catalog.products.length > 0 ? catalog.products.map(card)
    : [make('li', { className: 'nothing', textContent: 'Nothing matches this selection.' })]));
  grid.removeAttribute('aria-busy');
  head(catalog.title, catalog.total + ' products: ' + catalog.title + ' at Alder & Loom.', {
    '@context': 'https://schema.org', '@type': 'ItemList', name: catalog.title, numberOfItems: catalog.total,
    itemListElement: catalog.products.map((product, index) => ({
      '@type': 'ListItem', position: index + 1, name: product.name, url: origin + product.path,
    })),
  }, catalog.canonical);
}

async function load(path) {
  const response = await fetch(path, { headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(path + ' answered ' + response.status);
  return response.json();
}

async function start() {
  if (page === 'product') {
    const product = await load('/api/product/' + id + '.json');
    await wait(Number(delay));
    showProduct(product);
  } else if (page === 'catalog') {
    const catalog = await load('/api/catalog.json' + location.search);
    await wait(Number(delay));
    showCatalog(catalog);
  }
  navigator.sendBeacon('/beacon', JSON.stringify({ page, id, at: performance.now() }));
}

start().catch((error) => {
  console.error(error);
  document.querySelector('main').append(make('p', { className: 'nothing', textContent: 'This page could not be loaded. Please try again.' }));
});
})();
`;
