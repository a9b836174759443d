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

/** The client of a response that is not sent yet. */
export function clientSignal(response: ServerResponse): ClientSignal {
  return new ResponseClient(response);
}

class ResponseClient implements ClientSignal {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get gone(): boolean {
    return this.#response.destroyed;
  }

  onGone(listener: () => void): () => void {
    this.#response.once('close', listener);
    return () => void this.#response.off('close', listener);
  }
}
