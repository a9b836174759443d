import { createHash } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorkerBench, type WorkerBench } from './worker-bench.ts';

let bench: WorkerBench;
let internal: Server;
let internalPort: number;
let internalAsked = 0;

beforeAll(async () => {
  internal = createServer((_request, response) => {
    internalAsked++;
    response
      .setHeader('access-control-allow-origin', '*')
      .setHeader('content-type', 'text/html')
      .end('internal secret');
  });
  internal.on('connection', () => internalAsked++);
  await new Promise<void>((resolve) => internal.listen(0, '127.0.0.1', resolve));
  internalPort = (internal.address() as AddressInfo).port;
  bench = await startWorkerBench();
});
afterAll(async () => {
  await bench.stop();
  internal.closeAllConnections();
  await new Promise((resolve) => internal.close(resolve));
});

describe('SEC-03: private addresses', () => {
  it('an iframe of a private address is blocked and its text is absent', async () => {
    bench.origin.on(
      '/frames',
      `<!DOCTYPE html><title>F</title><body>shop text<iframe id=a src="http://127.0.0.1:${internalPort}/"></iframe>
       <iframe src="http://169.254.169.254/latest/"></iframe><iframe src="http://[::ffff:127.0.0.1]:${internalPort}/"></iframe>
       <iframe src="http://2130706433:${internalPort}/"></iframe><iframe src="file:///etc/passwd"></iframe>`,
    );
    const { metadata, html } = await bench.render('http://shop.test/frames');
    expect(metadata.outcome).toBe('rendered');
    expect(html).toContain('shop text');
    expect(html).not.toContain('internal secret');
    expect(internalAsked).toBe(0);
  });

  it('neither fetch, worker, web socket, picture nor redirect reaches a private address', async () => {
    const target = `127.0.0.1:${internalPort}`;
    bench.origin.on('/hop', (response) => response.writeHead(302, { location: `http://${target}/` }).end());
    bench.origin.on('/worker.js', (response) =>
      response
        .setHeader('content-type', 'text/javascript')
        .end(
          `fetch('http://${target}/').then((r) => r.text()).then((t) => postMessage(t), (e) => postMessage('refused'));new WebSocket('ws://${target}/')`,
        ),
    );
    bench.origin.on(
      '/tries',
      `<!DOCTYPE html><title>T</title><body><script>
       const say = (what) => document.body.append(what + '; ');
       const ask = (url) => fetch(url).then((r) => r.text()).then((t) => say('got ' + t), () => say('refused'));
       ask('http://${target}/'); ask('/hop'); ask('http://localhost:${internalPort}/');
       new WebSocket('ws://${target}/').onerror = () => say('socket refused');
       new Worker('/worker.js').onmessage = (e) => say('worker ' + e.data);
       new EventSource('http://${target}/'); navigator.sendBeacon('http://${target}/', 'x');
       new Image().src = 'http://${target}/p.png';
       window.open('http://${target}/');
       </script>`,
    );
    const { html } = await bench.render('http://shop.test/tries');
    expect(html.match(/refused/g)).toHaveLength(5);
    expect(html).not.toContain('internal secret');
    expect(internalAsked).toBe(0);
  });

  it('a job for a private address or another scheme is an error that says so, before any connection', async () => {
    for (const url of [
      `http://127.0.0.1:${internalPort}/`,
      'http://169.254.169.254/latest/meta-data/',
      'http://0x7f.1/',
      'http://localhost:9925/',
      `http://[::ffff:127.0.0.1]:${internalPort}/`,
    ]) {
      const { metadata } = await bench.render(url);
      expect(metadata).toMatchObject({ outcome: 'error', error: { name: 'ADDRESS_REFUSED', phase: 'navigate' } });
    }
    for (const url of ['file:///etc/passwd', 'data:text/html,x']) {
      const { metadata, html } = await bench.render(url);
      expect(metadata.outcome).toBe('error');
      expect(html).toBe('');
    }
    expect(internalAsked).toBe(0);
  });

  it('a redirect of the document to a private address is refused', async () => {
    bench.origin.on('/away', (response) =>
      response.writeHead(301, { location: `http://127.0.0.1:${internalPort}/` }).end(),
    );
    const { metadata } = await bench.render('http://shop.test/away');
    expect(metadata).toMatchObject({ outcome: 'error', statusCode: 301, error: { name: 'ADDRESS_REFUSED' } });
    expect(internalAsked).toBe(0);
  });
});

describe('what pages may do', () => {
  it('a web socket to an allowed host goes through the tunnel', async () => {
    bench.origin.onUpgrade((key, socket) => {
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      // One unmasked text frame.
      socket.write(Buffer.from([0x81, 5, ...Buffer.from('hello')]));
    });
    bench.origin.on(
      '/socket',
      '<!DOCTYPE html><title>S</title><body>x<script>new WebSocket("ws://shop.test/live").onmessage=(e)=>document.body.append(" said "+e.data)</script>',
    );
    const { html } = await bench.render('http://shop.test/socket');
    expect(html).toContain('said hello');
  });
});

describe('the job’s headers', () => {
  it('go with every request to the own origin and with none to another, redirects included', async () => {
    const script = (text: string) => (response: ServerResponse) =>
      void response
        .setHeader('content-type', 'text/javascript')
        .setHeader('access-control-allow-origin', '*')
        .end(text);
    bench.origin.on('/own.js', script('document.body.append("own ")'));
    bench.origin.on('/their.js', script('document.body.append("their ")'));
    bench.origin.on('/api', script('"api"'));
    bench.origin.on('/leave', (response) =>
      response.writeHead(302, { location: 'http://other.test/landed.js', 'access-control-allow-origin': '*' }).end(),
    );
    bench.origin.on('/landed.js', script('document.body.append("landed ")'));
    bench.origin.on(
      '/token',
      `<!DOCTYPE html><title>T</title><body>x<script src="/own.js"></script><script src="http://other.test/their.js"></script>
       <script src="/leave"></script><script>fetch('/api', {headers: {'x-own': '1'}})</script><iframe src="http://other.test/token-frame"></iframe>`,
    );
    bench.origin.on('/token-frame', '<script src="http://shop.test/own.js?framed"></script>');
    bench.origin.seen.length = 0;
    const { html } = await bench.render('http://shop.test/token', {
      headers: { 'X-Bypass': 'token-1', Host: 'evil.test' },
    });
    expect(html).toContain('landed');
    const seen = new Map(bench.origin.seen.map(({ host, url, headers }) => [host + url, headers['x-bypass']]));
    expect(Object.fromEntries(seen)).toEqual({
      'shop.test/token': 'token-1',
      'shop.test/own.js': 'token-1',
      'shop.test/leave': 'token-1',
      'shop.test/api': 'token-1',
      'shop.test/own.js?framed': 'token-1',
      'other.test/their.js': undefined,
      'other.test/landed.js': undefined,
      'other.test/token-frame': undefined,
    });
  });
});
