import { describe, expect, it } from 'vitest';
import { onlyFields, textField } from '../../../src/admin/fields.ts';
import { createAdminHandler, type AdminRoute } from '../../../src/admin/router.ts';
import type { HttpResponse } from '../../../src/harper/http.ts';
import { bodyText } from '../fakes/body-text.ts';
import { fakeRequest, SUPER_USER, type FakeRequestOptions } from '../fakes/http-request.ts';
import { recordingLogger } from '../fakes/logger.ts';

const ROUTES: AdminRoute[] = [
  { method: 'GET', path: '/thing', handle: ({ query }) => ({ asked: query.get('url') }) },
  {
    method: 'POST',
    path: '/thing',
    handle: (call) => {
      onlyFields(call, ['name']);
      return { name: textField(call, 'name'), who: call.who };
    },
  },
  {
    method: 'GET',
    path: '/broken',
    handle: () => {
      throw new TypeError('secret internals');
    },
  },
];

const PASSED_ON: HttpResponse = { status: 299, headers: {} };

async function ask(options: FakeRequestOptions, logger = recordingLogger()): Promise<HttpResponse> {
  const handler = createAdminHandler(ROUTES, logger);
  return handler(fakeRequest({ user: SUPER_USER, ...options }), () => PASSED_ON);
}

const errorOf = (response: HttpResponse): { code: string; message: string } =>
  (JSON.parse(bodyText(response)) as { error: { code: string; message: string } }).error;

const action = (body: string, headers: Record<string, string> = {}): FakeRequestOptions => ({
  method: 'POST',
  url: '/prerender_admin/thing',
  body,
  headers: { 'content-type': 'application/json', ...headers },
});

describe('the admin API', () => {
  it('hands paths that are not below its prefix to the next handler', async () => {
    expect(await ask({ url: '/prerender_administration' })).toBe(PASSED_ON);
    expect(await ask({ url: '/other' })).toBe(PASSED_ON);
  });

  it('answers reads with JSON that no cache keeps', async () => {
    const response = await ask({ url: '/prerender_admin/thing?url=https%3A%2F%2Fshop.example%2F%3Fa%3D1' });
    expect(response.status).toBe(200);
    expect(JSON.parse(bodyText(response))).toEqual({ asked: 'https://shop.example/?a=1' });
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('asks anonymous callers for credentials and refuses users that are not super users', async () => {
    const anonymous = await ask({ url: '/prerender_admin/thing', user: undefined });
    expect(anonymous.status).toBe(401);
    expect(anonymous.headers['www-authenticate']).toContain('Basic');
    const plain = { username: 'bob', role: { role: 'plain', permission: { super_user: false } } };
    expect((await ask({ url: '/prerender_admin/thing', user: plain })).status).toBe(403);
  });

  it('tells nobody without the right which paths exist', async () => {
    expect((await ask({ url: '/prerender_admin/nothing', user: undefined })).status).toBe(401);
    expect((await ask({ url: '/prerender_admin/nothing' })).status).toBe(404);
  });

  it('answers 405 with the methods that are right', async () => {
    const response = await ask({ method: 'DELETE', url: '/prerender_admin/thing' });
    expect(response.status).toBe(405);
    expect(response.headers['allow']).toBe('GET, POST');
  });

  it('runs an action with a JSON object', async () => {
    const response = await ask(action('{"name":"x"}'));
    expect(JSON.parse(bodyText(response))).toEqual({ name: 'x', who: 'ada' });
  });

  it.each([
    ['not json', 'it is not JSON'],
    ['[1]', 'has to be a JSON object'],
    ['null', 'has to be a JSON object'],
    ['{"name":1}', '`name` has to be a text'],
    ['{}', '`name` has to be a text'],
    ['{"name":"x","nmae":"y"}', '`nmae` is not known here; known are name'],
  ])('refuses the body %s and says why', async (body, reason) => {
    const response = await ask(action(body));
    expect(response.status).toBe(400);
    expect(errorOf(response).message).toContain(reason);
  });

  it('refuses an action whose body is not declared as JSON, which another site could send', async () => {
    const response = await ask(action('{"name":"x"}', { 'content-type': 'text/plain' }));
    expect(response.status).toBe(400);
    expect(errorOf(response).message).toContain('application/json');
  });

  it('refuses a body above its limit and closes the connection', async () => {
    const response = await ask(action(JSON.stringify({ name: 'x'.repeat(70_000) })));
    expect(response.status).toBe(413);
    expect(response.headers['connection']).toBe('close');
  });

  it('refuses a session that another origin uses, or none names', async () => {
    const session = { cookie: 'hdb-session=1', host: 'node.example:9926' };
    expect((await ask(action('{"name":"x"}', session))).status).toBe(403);
    expect((await ask(action('{"name":"x"}', { ...session, origin: 'https://evil.example' }))).status).toBe(403);
    expect((await ask(action('{"name":"x"}', { ...session, origin: 'null' }))).status).toBe(403);
    expect((await ask(action('{"name":"x"}', { ...session, origin: 'https://node.example:9926' }))).status).toBe(200);
  });

  it('refuses credentials that a browser sends along for another site, and takes those of a program', async () => {
    const basic = { authorization: 'Basic YTpi', host: 'node.example:9926' };
    expect((await ask(action('{"name":"x"}', { ...basic, origin: 'https://evil.example' }))).status).toBe(403);
    expect((await ask(action('{"name":"x"}', basic))).status).toBe(200);
  });

  it('hides what went wrong inside from the caller and logs it', async () => {
    const logger = recordingLogger();
    const response = await ask({ url: '/prerender_admin/broken' }, logger);
    expect(response.status).toBe(500);
    expect(bodyText(response)).not.toContain('secret internals');
    expect(logger.lines).toEqual(['error: An admin call failed: secret internals']);
  });
});
