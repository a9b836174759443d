import { crc32, deflateSync } from 'node:zlib';
import { ok, type Answer } from './answer.ts';
import { CLIENT_SCRIPT } from './client-script.ts';
import { CLIENT_STYLE } from './client-style.ts';
import { escapeHtml, SHOP_NAME } from './documents.ts';
import type { Offer } from './shelf.ts';

const FOREVER = { 'cache-control': 'public, max-age=31536000, immutable' };
const HOUR = { 'cache-control': 'public, max-age=3600' };

/** Answers the paths that are not pages: assets, font, images, manifest, a download; undefined for any other path. */
export function resourceAnswer(path: string): Answer | undefined {
  switch (path) {
    case '/assets/app.js':
      return ok('text/javascript; charset=utf-8', CLIENT_SCRIPT, HOUR);
    case '/assets/site.css':
      return ok('text/css; charset=utf-8', CLIENT_STYLE, HOUR);
    case '/fonts/inter.woff2':
      return ok('font/woff2', FONT, FOREVER);
    case '/i/a.avif':
      return ok('image/avif', AVIF, FOREVER);
    case '/logo':
      return ok('image/png', logo(), FOREVER);
    case '/site.webmanifest':
      return ok('application/manifest+json', JSON.stringify({ name: SHOP_NAME, display: 'browser', icons: [] }), HOUR);
    case '/api/x.json':
      return ok('application/json', JSON.stringify({ x: 1 }));
    case '/download':
      return ok('application/pdf', PDF, { 'content-disposition': 'attachment; filename="care-guide.pdf"' });
    default:
      return undefined;
  }
}

const TINTS: Readonly<Record<string, string>> = {
  Black: '#2b2b2d',
  Blue: '#4a78a8',
  Charcoal: '#50555a',
  Clay: '#b9826a',
  Gray: '#9a9d9f',
  Green: '#4f7a5b',
  Ivory: '#e9e1cd',
  Navy: '#2c3e60',
  Ochre: '#c8973a',
  Rose: '#cf8f93',
  Sage: '#9caf92',
  Terracotta: '#b5543a',
  White: '#f7f6f2',
};

/** The picture of a product: its product group's outline in its colour. */
export function productImage(offer: Offer): Answer {
  const tint = TINTS[offer.colour] ?? '#9a9d9f';
  const hue = (offer.id * 47) % 360;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" role="img"><title>${escapeHtml(offer.name)}</title>
<defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="hsl(${hue} 22% 95%)"/><stop offset="1" stop-color="hsl(${hue} 20% 87%)"/></linearGradient></defs>
<rect width="400" height="400" fill="url(#g)"/><ellipse cx="200" cy="318" rx="118" ry="14" opacity=".12"/>
<g color="${tint}" fill="${tint}" stroke="#0003" stroke-width="3" stroke-linejoin="round">${outline(offer.silhouette)}</g></svg>\n`;
  return ok('image/svg+xml', svg, FOREVER);
}

function outline(silhouette: string): string {
  switch (silhouette) {
    case 'Coffee Mugs':
      return '<path d="M260 170h34a40 40 0 0 1 0 84h-34" fill="none" stroke="currentColor" stroke-width="20"/><path d="M120 130h150v150a34 34 0 0 1-34 34h-82a34 34 0 0 1-34-34z"/>';
    case 'Vases':
      return '<path d="M168 80h64l-8 60c50 34 62 92 26 174h-100c-36-82-24-140 26-174z"/>';
    case 'Table Lamps':
      return '<path d="M188 200h24v90h46v24H142v-24h46z" fill="#8a7458"/><path d="M150 84h100l44 124H106z"/>';
    case 'Storage Baskets':
      return '<path d="M150 160a50 70 0 0 1 100 0" fill="none" stroke="currentColor" stroke-width="14"/><path d="M92 160h216l-26 154H118z"/><path d="M100 200h200M106 240h188M112 280h176" fill="none"/>';
    case 'Curtains':
      return '<path d="M90 84h220" stroke="#8a7458" stroke-width="12"/><path d="M100 90h84q-4 130-46 224h-38zM300 90h-84q4 130 46 224h38z"/>';
    case 'Throw Pillows':
      return '<path d="M104 112q96 26 192 0q-24 96 0 192q-96-26-192 0q24-96 0-192z"/><path d="M150 208h100M200 158v100" fill="none"/>';
    case 'Bath Rugs':
      return '<rect x="76" y="150" width="248" height="150" rx="18"/><rect x="98" y="172" width="204" height="106" rx="10" fill="none"/>';
    default:
      return '<rect x="96" y="108" width="208" height="62" rx="22"/><rect x="96" y="178" width="208" height="62" rx="22"/><rect x="96" y="248" width="208" height="62" rx="22"/>';
  }
}

// Signatures and first boxes only: enough to be told by content, too little to be drawn.
const AVIF = Buffer.from('0000001c667479706176696600000000617669666d6966316d696166', 'hex');
const PDF =
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n';

// A font of two glyphs, the full and the empty star of the ratings.
const FONT = Buffer.from(
  [
    'd09GMgABAAAAAAFkAAoAAAAAAtQAAAEZAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAABmAANAqBEIEOATYCJAMICwgABCAFVwcgGxoC',
    'EC4H7MbxOyhYu3c62wFttgaWKo8zML7qiaBatp6d+UxImnp1mmwPYzHuPcFIhMdiLEV5hMo2hclrC94NcDzw+gCLrgyIOu7/gVWT',
    'iYQo3WKQpO965smRH8jwOJDAJJlkElDguSQWUWAZHEAONTlt66GDg5ijtst8CA2U0mPS2+kGG7bwGnPQkNiSAlvKHKUE3RC6AXcD',
    'IMEQiW30gAKENp1OT09qL26qNGjVNT3fC/0gDAJm+7nafLvxkLwhwrUt73zVl74NEOGJXoBAcJ1LScXrWD7APfv5RW+cVwmQGghy',
    '8R/5gItcQABA5AMgkLY00AAAUI4ECIUAzUhJURNhbJZoVmxeav6luh+4JqeLozf6bWoPbAAAAAA=',
  ].join(''),
  'base64',
);

function logo(): Buffer {
  const size = 64;
  const rows = Buffer.alloc(size * (1 + size * 4));
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const inside = Math.hypot(x - 31.5, y - 31.5) < 31;
      const stem = Math.abs(x - 31.5) < 3 && y > 16 && y < 52;
      const leaf = Math.hypot(x - 24, y - 26) < 9 || Math.hypot(x - 40, y - 34) < 9;
      const colour = !inside ? [0, 0, 0, 0] : stem || leaf ? [251, 250, 247, 255] : [47, 93, 80, 255];
      rows.set(colour, y * (1 + size * 4) + 1 + x * 4);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const framed = Buffer.alloc(content.length + 8);
  framed.writeUInt32BE(data.length, 0);
  content.copy(framed, 4);
  framed.writeUInt32BE(crc32(content), content.length + 4);
  return framed;
}
