import type { IncomingMessage } from 'node:http';
import { ok, statusPage, type Answer } from './answer.ts';
import { catalogData, productData } from './api.ts';
import { FACET_VALUES } from './assortment.ts';
import type { Rule } from './commands.ts';
import {
  catalogDocument,
  escapeHtml,
  plainDocument,
  productDocument,
  SHOP_NAME,
  type DocumentOptions,
} from './documents.ts';
import { catalogPath, rawFacets, select, WHOLE_CATALOG } from './facets.ts';
import { productImage, resourceAnswer } from './resources.ts';
import type { Offer, Shelf } from './shelf.ts';
import { sitemapAnswer, type SitemapOptions } from './sitemaps.ts';

/** How the shop's own addresses are answered. */
export type RouteOptions = DocumentOptions & SitemapOptions;

const HTML = 'text/html; charset=utf-8';
const PAGE = { 'cache-control': 'public, max-age=60' };

/** Answers one of the shop's own addresses; `rule` may change the canonical and the head of its documents. */
export function route(request: IncomingMessage, shelf: Shelf, options: RouteOptions, rule: Rule | undefined): Answer {
  const url = request.url ?? '/';
  const cut = url.indexOf('?');
  const path = cut < 0 ? url : url.slice(0, cut);
  const query = cut < 0 ? '' : url.slice(cut + 1);
  if (path === '/beacon' && request.method === 'POST') return { status: 204, headers: {}, body: Buffer.alloc(0) };
  if (request.method !== 'GET' && request.method !== 'HEAD') return methodRefused();
  return (
    resourceAnswer(path) ??
    sitemapAnswer(path, shelf, options) ??
    productAnswer(path, shelf, options, rule) ??
    catalogAnswer(path, query, shelf, options, rule) ??
    plainAnswer(path, shelf, options) ??
    statusPage(404, 'Page not found')
  );
}

/** The document of `/echo`: request line and headers as they came, as JSON in a `<pre>`. */
export function echoAnswer(request: IncomingMessage, body: string): Answer {
  const { method, url, httpVersion, rawHeaders } = request;
  const seen = { requestLine: `${method} ${url} HTTP/${httpVersion}`, method, url, rawHeaders, body };
  const json = escapeHtml(JSON.stringify(seen, null, 2));
  return ok(
    HTML,
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Echo</title></head><body><pre>${json}</pre></body></html>\n`,
    {
      'cache-control': 'no-store',
    },
  );
}

function methodRefused(): Answer {
  const answer = statusPage(405, 'Method not allowed');
  answer.headers['allow'] = 'GET, HEAD';
  return answer;
}

function productAnswer(path: string, shelf: Shelf, options: RouteOptions, rule?: Rule): Answer | undefined {
  const pageOf = offerAt(/^\/product\/prd-([1-9]\d*)\/[^/]+$/, path, shelf);
  if (pageOf) return ok(HTML, productDocument(pageOf, options, rule), PAGE);
  const dataOf = offerAt(/^\/api\/product\/([1-9]\d*)\.json$/, path, shelf);
  if (dataOf) return json(productData(dataOf, shelf, options.publicOrigin));
  const imageOf = offerAt(/^\/i\/([1-9]\d*)\.svg$/, path, shelf);
  return imageOf && productImage(imageOf);
}

function offerAt(pattern: RegExp, path: string, shelf: Shelf): Offer | undefined {
  const id = pattern.exec(path)?.[1];
  return id === undefined ? undefined : shelf.offer(Number(id));
}

function catalogAnswer(
  path: string,
  query: string,
  shelf: Shelf,
  options: RouteOptions,
  rule?: Rule,
): Answer | undefined {
  const selection = select(rawFacets(query) ?? '');
  if (/^\/catalog\/[^/]+$/.test(path)) return ok(HTML, catalogDocument(selection, options, rule), PAGE);
  if (path === '/api/catalog.json') return json(catalogData(selection, shelf, options.publicOrigin));
  return undefined;
}

function plainAnswer(path: string, shelf: Shelf, options: RouteOptions): Answer | undefined {
  if (path === '/cart') {
    const empty = '<p class="nothing">Your cart is empty.</p>';
    return ok(HTML, plainDocument('Cart', empty, '<meta name="robots" content="noindex">'), {
      'cache-control': 'no-store',
    });
  }
  if (path !== '/') return undefined;
  const departments = FACET_VALUES.Silhouette.map((name) => {
    const wanted = new Map([['Silhouette', new Set([name])]] as const);
    const picture = shelf.first(wanted, 1).map(({ id }) => `<img src="/i/${id}.svg" alt="" width="400" height="400">`);
    return `<li><a href="${escapeHtml(catalogPath(wanted))}"><span class="frame">${picture.join('')}</span>${name}</a></li>`;
  });
  const body = `<section class="hero"><h1>Things for the home, made to stay.</h1><p>Towels, lamps and mugs that get better with use.</p><a class="buy" href="${WHOLE_CATALOG}">See everything</a></section><ul class="departments">${departments.join('')}</ul>`;
  return ok(HTML, plainDocument(SHOP_NAME, body, `<link rel="canonical" href="${options.publicOrigin}/">`), PAGE);
}

function json(data: object): Answer {
  return ok('application/json; charset=utf-8', JSON.stringify(data), { 'cache-control': 'no-cache' });
}
