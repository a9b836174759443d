import { describe, expect, it } from 'vitest';
import { createHealthHandler } from '../../../src/admin/health.ts';
import type { HttpResponse } from '../../../src/harper/http.ts';
import { bodyText } from '../fakes/body-text.ts';
import { fakeRequest } from '../fakes/http-request.ts';

const PASSED_ON: HttpResponse = { status: 299, headers: {} };
const ask = (reason: string | undefined, method = 'GET', url = '/prerender_health') =>
  createHealthHandler(() => reason)(fakeRequest({ method, url }), () => PASSED_ON);

describe('the health check', () => {
  it('answers 200 while the node serves', async () => {
    const response = await ask(undefined);
    expect(response.status).toBe(200);
    expect(JSON.parse(bodyText(response))).toEqual({ status: 'ok' });
  });

  it('answers 503 with the reason while it does not', async () => {
    const response = await ask('it drains');
    expect(response.status).toBe(503);
    expect(JSON.parse(bodyText(response))).toEqual({ status: 'unavailable', reason: 'it drains' });
  });

  it('answers HEAD without a body, refuses other methods and leaves other paths alone', async () => {
    expect((await ask(undefined, 'HEAD')).body).toBe('');
    const post = await ask(undefined, 'POST');
    expect([post.status, post.headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect(await ask(undefined, 'GET', '/prerender_healthy')).toBe(PASSED_ON);
  });
});
