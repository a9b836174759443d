import { defaultSettings, type WorkerSettings } from '../../../src/worker/settings.ts';
import { runWorker } from '../../../src/worker/worker.ts';
import { startFakeQueue, type FakeQueue } from './fake-queue.ts';
import { startTestOrigin, type TestOrigin } from './test-origin.ts';

export interface WorkerBench {
  queue: FakeQueue;
  origin: TestOrigin;
  /** Lines that the worker logged. */
  log: string[];
  /** Renders a URL and answers its result. */
  render(url: string, job?: Parameters<FakeQueue['add']>[1]): ReturnType<FakeQueue['result']>;
  stop(): Promise<void>;
}

/** A worker in this process, with a queue and an origin; shop.test, other.test and https://secure.test are that origin. */
export async function startWorkerBench(overrides: Partial<WorkerSettings> = {}): Promise<WorkerBench> {
  const queue = await startFakeQueue();
  const origin = await startTestOrigin();
  const log: string[] = [];
  const stop = new AbortController();
  const address = `127.0.0.1:${origin.port}`;
  const settings = defaultSettings({
    servers: [queue.url],
    user: 'worker',
    password: 'secret-of-the-worker',
    pollInterval: 50,
    pollMaxInterval: 100,
    renderTimeout: 20_000,
    map: [`shop.test=${address}`, `other.test=${address}`, `secure.test=http://${address}`],
    ...overrides,
  });
  const running = runWorker(settings, {
    signal: stop.signal,
    log: (level, message, fields) => log.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`),
  });
  running.catch((error: unknown) => log.push(`worker failed: ${String(error)}`));
  return {
    queue,
    origin,
    log,
    render: (url, job) => queue.result(queue.add(url, job)),
    async stop() {
      stop.abort();
      await running;
      await Promise.all([queue.close(), origin.close()]);
    },
  };
}
