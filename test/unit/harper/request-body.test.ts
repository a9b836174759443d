import { expect, it } from 'vitest';
import { readBody } from '../../../src/harper/request-body.ts';
import { fakeRequest } from '../fakes/http-request.ts';

it('refuses the body of a client that has left before it is read', async () => {
  const request = fakeRequest({ method: 'POST', body: '{}' });
  request._nodeRequest.destroy();
  await new Promise((resolve) => setImmediate(resolve));
  const gaveUp = new Promise((resolve) => setTimeout(resolve, 1_000, 'never settled'));
  await expect(Promise.race([readBody(request, 100), gaveUp])).rejects.toThrow('it broke off');
});
