/** How a request to stop arrives. */
export interface StopRequest {
  /** Aborted by the first request. */
  readonly signal: AbortSignal;
  /** Fulfilled by it. */
  readonly asked: Promise<void>;
}

/** Ms between two looks whether the program that started this one still lives. */
const PARENT_CHECK_MS = 1_000;

/**
 * Listens for SIGINT, SIGTERM and SIGHUP: the first asks to stop, the second ends this process at once (and with it its
 * children). Under `npm start` a shell stands between npm and this process and may swallow the signal: there the end of
 * the parent counts as a request too.
 */
export function waitForStop(): StopRequest {
  const stop = new AbortController();
  const asked = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve(), { once: true }));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(130);
      stop.abort();
    });
  }
  if (process.env.npm_lifecycle_event !== undefined) {
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) stop.abort();
    }, PARENT_CHECK_MS).unref();
  }
  // A reader that went away (`npm start | head`) is no reason to die half-way.
  process.stdout.on('error', () => stop.abort());
  return { signal: stop.signal, asked };
}
