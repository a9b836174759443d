import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

/** Status line and headers of an origin answer, as read from the wire. */
export interface AnswerHead {
  readonly status: number;
  readonly rawHeaders: readonly (Buffer | string)[];
}

/** Bytes that wait for a reader before the origin is told to pause. */
const WAITING_BYTES = 65_536;

/**
 * One request to the origin and its body. The body is taken at most once, as a stream or, when it has all come already, as
 * a buffer; beside that `whole` gives it to those who share the answer. Whoever started it must take the body or call
 * `release`; the socket is closed when nobody reads any more. No event of it ever goes unhandled.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Settles when the headers are there; rejects with what undici says when there is no answer. */
  readonly head: Promise<AnswerHead>;

  #resolveHead: (head: AnswerHead) => void = () => undefined;
  #rejectHead: (error: Error) => void = () => undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Chunks are kept for sharers for as long as this is not exceeded; 0 keeps none. */
  #shareLimit = 0;
  #stream: RelayStream | undefined;
  #sharers: ((body: Buffer | undefined) => void)[] = [];
  #state: 'open' | 'ended' | 'failed' = 'open';
  #released = false;
  #onStop: (() => void) | undefined;

  constructor() {
    this.head = new Promise((resolve, reject) => {
      this.#resolveHead = resolve;
      this.#rejectHead = reject;
    });
    // The promise is awaited by the caller; this keeps one that nobody awaits any more from being reported.
    this.head.catch(() => undefined);
  }

  /** Whether the body broke off. */
  get failed(): boolean {
    return this.#state === 'failed';
  }

  /**
   * Keeps the body for others up to `limit` bytes. Call it as soon as the headers are there, before any waiting. `onStop` is
   * called once, when no further one can share it.
   */
  share(limit: number, onStop: () => void): void {
    this.#shareLimit = limit;
    this.#onStop = onStop;
    if (this.#bytes > limit) this.#stopSharing();
    else if (this.#state !== 'open') this.#noMoreSharers();
  }

  /** The whole body, for one that shares it; undefined when it is longer than the limit, broke off or was not kept. */
  whole(): Promise<Buffer | undefined> {
    if (this.#state === 'failed' || this.#shareLimit === 0) return Promise.resolve(undefined);
    if (this.#state === 'ended') return Promise.resolve(Buffer.concat(this.#chunks));
    // Those who share must not wait for the pace of the one who streams.
    this.#controller?.resume();
    return new Promise((resolve) => this.#sharers.push(resolve));
  }

  /** Takes the body when all of it has come; undefined otherwise. */
  takeBuffer(): Buffer | undefined {
    if (this.#state !== 'ended' || this.#stream !== undefined) return undefined;
    return this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
  }

  /** Takes the body as a stream; `onBroken` is called when the origin breaks off, after which the stream ends without a sign. */
  takeStream(onBroken: () => void): Readable {
    const stream = new RelayStream(
      () => this.#controller?.resume(),
      () => this.release(),
      onBroken,
    );
    this.#stream = stream;
    for (const chunk of this.#chunks) stream.push(chunk);
    if (this.#shareLimit === 0) this.#chunks = [];
    if (this.#state === 'ended') stream.push(null);
    if (this.#state === 'failed') stream.break();
    return stream;
  }

  /** The one that started it reads no further: the socket is closed unless others share the answer. */
  release(): void {
    this.#released = true;
    if (this.#sharers.length > 0) this.#controller?.resume();
    // Those who wait for the headers with this one come to share in the same turn.
    else if (this.#state === 'open') setImmediate(() => this.#sharers.length === 0 && this.abort());
  }

  /** Gives up waiting for the headers, for this reason; it may not even have a connection yet. */
  giveUp(reason: Error): void {
    this.#rejectHead(reason);
    this.abort();
  }

  /** Closes the socket, whoever reads. */
  abort(): void {
    if (this.#state !== 'open') return;
    this.#released = true;
    this.#controller?.abort(new Error('nobody reads the answer any more'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#released) controller.abort(new Error('nobody reads the answer any more'));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return;
    this.#resolveHead({ status, rawHeaders: (controller.rawHeaders ?? []) as (Buffer | string)[] });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#shareLimit > 0 && this.#bytes > this.#shareLimit) this.#stopSharing();
    if (this.#stream === undefined || this.#shareLimit > 0) this.#chunks.push(chunk);
    const wantsMore = this.#stream === undefined ? this.#bytes < WAITING_BYTES : this.#stream.push(chunk);
    if (!wantsMore && this.#sharers.length === 0) controller.pause();
  }

  onResponseEnd(): void {
    this.#state = 'ended';
    this.#stream?.push(null);
    this.#noMoreSharers();
    const sharers = this.#takeSharers();
    if (sharers.length === 0) return;
    const body = Buffer.concat(this.#chunks);
    for (const resolve of sharers) resolve(body);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#state = 'failed';
    this.#rejectHead(error);
    this.#noMoreSharers();
    for (const resolve of this.#takeSharers()) resolve(undefined);
    this.#stream?.break();
  }

  #stopSharing(): void {
    this.#shareLimit = 0;
    this.#noMoreSharers();
    for (const resolve of this.#takeSharers()) resolve(undefined);
    if (this.#stream !== undefined) this.#chunks = [];
    if (this.#released) this.abort();
  }

  #noMoreSharers(): void {
    this.#onStop?.();
    this.#onStop = undefined;
  }

  #takeSharers(): ((body: Buffer | undefined) => void)[] {
    const sharers = this.#sharers;
    this.#sharers = [];
    return sharers;
  }
}

/** A stream that is never destroyed with an error, since whoever pipes it need not listen for one. */
class RelayStream extends Readable {
  static {
    // Harper pipes a body as it is only when it cannot be iterated. Iterated, one that is destroyed before its end throws where
    // nobody catches it.
    Object.defineProperty(this.prototype, Symbol.asyncIterator, { value: undefined });
  }

  readonly #onRead: () => void;
  readonly #onClosed: () => void;
  readonly #onBroken: () => void;
  #broken = false;

  constructor(onRead: () => void, onClosed: () => void, onBroken: () => void) {
    super({ highWaterMark: WAITING_BYTES });
    this.#onRead = onRead;
    this.#onClosed = onClosed;
    this.#onBroken = onBroken;
  }

  break(): void {
    if (this.#broken || this.destroyed) return;
    this.#broken = true;
    this.#onBroken();
    this.destroy();
  }

  override push(chunk: Buffer | null): boolean {
    return this.destroyed ? false : super.push(chunk);
  }

  override _read(): void {
    this.#onRead();
  }

  override _destroy(_error: Error | null, callback: (error?: Error | null) => void): void {
    this.#onClosed();
    callback(null);
  }
}
