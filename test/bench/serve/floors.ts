/**
 * The floors that the product is compared with, beside it in the same Harper: handlers that do the least that could be called
 * the same. A module of the host app, in JavaScript since Harper loads it; its settings come by environment.
 */
export const FLOORS = `const { Agent, request: ask } = await import(process.env.BENCH_UNDICI);
const dispatcher = new Agent({ connections: 128, pipelining: 1 });
let hit;

/** The same bytes and headers as the product's answer, from memory. */
function bareHit(request) {
  const gzip = request.headers.get('accept-encoding') === 'gzip';
  const answer = gzip ? hit.gzip : hit.identity;
  return { status: 200, headers: answer.headers, body: answer.body };
}

/** Nothing but a proxy, with the HTTP client of the product. */
async function bareProxy(request) {
  const { statusCode, headers, body } = await ask(process.env.BENCH_ORIGIN + request.url.slice('/floor/proxy'.length), {
    dispatcher,
  });
  const relayed = { ...headers };
  delete relayed.connection;
  delete relayed['keep-alive'];
  delete relayed['transfer-encoding'];
  return { status: statusCode, headers: relayed, body };
}

/** Writes rows as they are; bodies come as base64. */
async function seed(request) {
  const chunks = [];
  for await (const chunk of request._nodeRequest) chunks.push(chunk);
  const { pages = [], targets = [], answers } = JSON.parse(Buffer.concat(chunks).toString());
  const decode = ({ headers, body }) => ({ headers, body: Buffer.from(body, 'base64') });
  if (answers) hit = { gzip: decode(answers.gzip), identity: decode(answers.identity) };
  for (const page of pages) {
    await databases.page_cache.PrerenderedPage.put({
      ...page,
      content: createBlob(Buffer.from(page.content, 'base64')),
    });
  }
  for (const target of targets) await databases.render_service.Target.put(target);
  return { status: 204, headers: {} };
}

server.http(
  (request, next) => {
    if (request.url === '/floor/hit') return bareHit(request);
    if (request.url.startsWith('/floor/proxy')) return bareProxy(request);
    if (request.url === '/floor/seed') return seed(request);
    return next(request);
  },
  { runFirst: true },
);
`;
