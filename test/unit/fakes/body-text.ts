import type { HttpResponse } from '../../../src/harper/http.ts';

/** The text of an answer whose body is not a stream. */
export function bodyText({ body }: HttpResponse): string {
  if (body === undefined) return '';
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body.toString();
  throw new TypeError('The body is a stream');
}
