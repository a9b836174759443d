import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { showLifeOfPage } from '../../../src/cli/life-of-a-page.ts';

const PAGE = 'http://shop.example/product/prd-1/towel.jsp';
const RENDERED = '<title>Towel</title><p id="price">$9.50</p>';

/** Stands for shop and instance at once: what it is asked decides the rest of the story. */
class Stage {
  requests: { method: string; path: string; agent: string }[] = [];
  rendersAfter = 3;
  askedAsCrawler = 0;

  answer(request: IncomingMessage): { headers?: Record<string, string>; body: string } {
    const path = request.url ?? '';
    if (path.startsWith('/__shop/product/')) return { body: JSON.stringify({ url: PAGE }) };
    if (path.startsWith('/__shop/requests')) return { body: JSON.stringify({ last: 7, requests: [] }) };
    this.requests.push({ method: request.method ?? '', path, agent: request.headers['user-agent'] ?? '' });
    if (!path.startsWith('/p/')) return { body: '<title></title>' };
    const hit = ++this.askedAsCrawler > this.rendersAfter;
    return { headers: { 'x-prerender-cache-status': hit ? 'hit' : 'miss' }, body: hit ? RENDERED : '<title></title>' };
  }
}

describe('the life of a page', () => {
  let stage: Stage;
  let server: Server;
  let baseUrl: string;
  let said: string[];

  beforeEach(async () => {
    stage = new Stage();
    said = [];
    server = createServer((request, response) => {
      const { headers, body } = stage.answer(request);
      response.writeHead(200, headers).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => server.close());

  const tell = (rendering: boolean, limitMs?: number) =>
    showLifeOfPage({
      instance: { httpUrl: baseUrl, operation: async <T>() => [{ discoveredBy: 'Googlebot' }] as T },
      shop: { origin: baseUrl, control: `${baseUrl}/__shop` },
      rendering,
      say: (line) => said.push(line),
      limitMs,
    });

  it('goes from a miss over the render to a hit, and shows what a person gets', async () => {
    expect(await tell(true)).toEqual({ url: PAGE, address: `${baseUrl}/p/${PAGE}`, rendered: true });
    const story = said.join('\n');
    expect(story).toMatch(/1\. Googlebot asks\. 200 in [\d.]+ ms, cache status miss\n.* no title and no price/);
    expect(story).toMatch(/2\. .*a Target \(discovered by Googlebot\)/);
    expect(story).toMatch(/3\. .* in the cache after \d+\.\d s/);
    expect(story).toMatch(/4\. .*cache status hit\n.*No request reached the shop; .*title "Towel" and price \$9\.50/);
    expect(stage.requests.at(-1)).toMatchObject({ method: 'GET', path: '/product/prd-1/towel.jsp' });
    expect(stage.requests.at(-1)?.agent).not.toMatch(/bot/i);
  });

  it('counts for nothing while it waits: only the two requests of the crawler are GETs', async () => {
    await tell(true);
    expect(stage.requests.filter(({ method, path }) => method === 'GET' && path.startsWith('/p/'))).toHaveLength(2);
  });

  it('ends with the miss when nothing renders', async () => {
    expect((await tell(false)).rendered).toBe(false);
    expect(said.at(-1)).toMatch(/No render worker runs/);
  });

  it('says so when the render does not come', async () => {
    stage.rendersAfter = Infinity;
    expect((await tell(true, 300)).rendered).toBe(false);
    expect(said.at(-1)).toMatch(/Not rendered within 0\.3 s/);
  });
});
