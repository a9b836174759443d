import { PrerenderError } from '../errors.ts';
import type { HttpRequest } from './http.ts';

/**
 * Reads the body of a request of an ordinary handler. Harper's own limits do not apply there, so the caller sets one.
 * After a BODY_TOO_LARGE the rest is drained unread: answer with `connection: close`.
 * @throws PrerenderError BODY_TOO_LARGE above `limitBytes` (announced or found), BODY_INVALID when the client broke off.
 */
export function readBody(request: HttpRequest, limitBytes: number): Promise<Buffer> {
  const stream = request._nodeRequest;
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    const settle = (finish: () => void): void => {
      stream.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      finish();
    };
    const tooLarge = (): void =>
      settle(() => {
        // Leaving the iteration of a request destroys its socket, and the client would never read the answer.
        stream.on('error', () => undefined).resume();
        reject(new PrerenderError('BODY_TOO_LARGE', { limit: limitBytes }));
      });
    const onData = (piece: Buffer): void => {
      size += piece.length;
      if (size > limitBytes) tooLarge();
      else pieces.push(piece);
    };
    const onEnd = (): void => settle(() => resolve(Buffer.concat(pieces, size)));
    const onBroken = (cause?: unknown): void =>
      settle(() => reject(new PrerenderError('BODY_INVALID', { reason: 'it broke off' }, { cause })));
    if (Number(request.headers.get('content-length')) > limitBytes) return tooLarge();
    if (stream.readableEnded) return onEnd();
    if (stream.destroyed) return onBroken();
    stream.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}
