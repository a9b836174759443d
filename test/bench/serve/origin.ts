import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The origin of the benchmark, a process of its own: one page for every path. Prints its port. */
const body = Buffer.from(
  `<!DOCTYPE html><title>shop</title>${'<p>one line of a product page</p>\n'.repeat(900)}`.slice(0, 30_000),
);
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': body.length });
  response.end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
