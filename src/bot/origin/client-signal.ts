import type { ServerResponse } from 'node:http';

/** Tells when the client that asked is gone. */
export interface ClientSignal {
  readonly gone: boolean;
  /** Calls `listener` when the client goes. Returns how to stop listening. */
  onGone(listener: () => void): () => void;
}

/** Raised instead of asking an origin for somebody who has left; nobody reads the answer to it. */
export class ClientGone extends Error {
  constructor() {
    super('The client is gone');
    this.name = 'ClientGone';
  }
}

export function clientSignal(response: ServerResponse): ClientSignal {
  return {
    get gone() {
      return response.destroyed;
    },
    onGone(listener) {
      response.once('close', listener);
      return () => void response.off('close', listener);
    },
  };
}
