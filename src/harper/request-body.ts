import { PrerenderError } from '../errors.ts';
import type { HttpRequest } from './http.ts';

/**
 * Reads the body of a request of an ordinary handler. Harper's own limits do not apply there, so the caller sets one.
 * @throws PrerenderError BODY_TOO_LARGE above `limitBytes` (announced or found), BODY_INVALID when the client broke off.
 */
export async function readBody(request: HttpRequest, limitBytes: number): Promise<Buffer> {
  const announced = Number(request.headers.get('content-length'));
  if (announced > limitBytes) throw new PrerenderError('BODY_TOO_LARGE', { limit: limitBytes });
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of request._nodeRequest) {
      size += (piece as Buffer).length;
      if (size > limitBytes) throw new PrerenderError('BODY_TOO_LARGE', { limit: limitBytes });
      pieces.push(piece as Buffer);
    }
  } catch (error) {
    if (error instanceof PrerenderError) throw error;
    throw new PrerenderError('BODY_INVALID', { reason: 'it broke off' }, { cause: error });
  }
  return Buffer.concat(pieces, size);
}
