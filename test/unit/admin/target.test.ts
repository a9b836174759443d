import { describe, expect, it } from 'vitest';
import { createTargetHandler } from '../../../src/admin/target.ts';
import type { HttpResponse } from '../../../src/harper/http.ts';
import type { TargetResource } from '../../../src/target/resource.ts';
import { bodyText } from '../fakes/body-text.ts';
import { fakeRequest, SUPER_USER, type FakeRequestOptions } from '../fakes/http-request.ts';
import { recordingLogger } from '../fakes/logger.ts';

const PASSED_ON: HttpResponse = { status: 299, headers: {} };
const URL_A = 'https://shop.test/c?b=%2B&a=1';

function rig() {
  const calls: unknown[] = [];
  const resource: TargetResource = {
    get: (url) => {
      calls.push(['get', url]);
      return { url } as ReturnType<TargetResource['get']>;
    },
    put: async (url, body) => {
      calls.push(['put', url, body]);
      return { url, outcome: 'created' };
    },
    delete: async (url) => {
      calls.push(['delete', url]);
      return { url, pages: 0 };
    },
    post: async (body) => {
      calls.push(['post', body]);
      return { url: 'x', outcome: 'due' };
    },
  };
  const handler = createTargetHandler(resource, recordingLogger());
  const ask = async (options: FakeRequestOptions): Promise<HttpResponse> =>
    handler(
      fakeRequest({ user: SUPER_USER, headers: { 'content-type': 'application/json' }, ...options }),
      () => PASSED_ON,
    );
  return { calls, ask };
}

const codeOf = (response: HttpResponse): string =>
  (JSON.parse(bodyText(response)) as { error: { code: string } }).error.code;

describe('/Target', () => {
  it('takes the URL byte for byte, and decodes one that is escaped as a whole', async () => {
    const { calls, ask } = rig();
    await ask({ url: `/Target/${URL_A}` });
    await ask({ url: `/Target/${encodeURIComponent(URL_A)}` });
    expect(calls).toEqual([
      ['get', URL_A],
      ['get', URL_A],
    ]);
  });

  it('puts, deletes and acts', async () => {
    const { calls, ask } = rig();
    await ask({ method: 'PUT', url: `/Target/${URL_A}`, body: '{"renderInterval":60000}' });
    await ask({ method: 'DELETE', url: `/Target/${URL_A}` });
    await ask({ method: 'POST', url: '/Target', body: '{"action":"revalidate"}' });
    expect(calls).toEqual([
      ['put', URL_A, { renderInterval: 60_000 }],
      ['delete', URL_A],
      ['post', { action: 'revalidate' }],
    ]);
  });

  it('leaves other paths alone', async () => {
    const { calls, ask } = rig();
    expect(await ask({ url: '/Targets' })).toBe(PASSED_ON);
    expect(calls).toEqual([]);
  });

  const refused: [string, FakeRequestOptions, number, string][] = [
    ['anonymous', { url: `/Target/${URL_A}`, user: undefined }, 401, 'AUTHENTICATION_REQUIRED'],
    ['another role', { url: `/Target/${URL_A}`, user: { username: 'bob' } }, 403, 'ROLE_REQUIRED'],
    ['no URL', { url: '/Target/' }, 400, 'URL_INVALID'],
    ['broken escapes', { url: '/Target/https%3A%2F%2Fshop.test%2F%FF' }, 400, 'URL_INVALID'],
    ['bad JSON', { method: 'PUT', url: `/Target/${URL_A}`, body: '{' }, 400, 'BODY_INVALID'],
    ['another type', { method: 'PUT', url: `/Target/${URL_A}`, body: '{}', headers: {} }, 400, 'BODY_INVALID'],
    ['another verb', { method: 'PATCH', url: `/Target/${URL_A}`, body: '{}' }, 405, 'METHOD_NOT_ALLOWED'],
    [
      'another site',
      { method: 'DELETE', url: `/Target/${URL_A}`, headers: { origin: 'https://evil.test', host: 'node' } },
      403,
      'CROSS_SITE_REFUSED',
    ],
  ];
  it.each(refused)('refuses %s with a code', async (_what, options, status, code) => {
    const { calls, ask } = rig();
    const response = await ask(options);
    expect([response.status, codeOf(response)]).toEqual([status, code]);
    expect(calls).toEqual([]);
  });
});
