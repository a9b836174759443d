import autocannon from 'autocannon';

/** One run of load, given as JSON in the first argument; prints a {@link LoadResult} as JSON. A process of its own. */
export interface LoadOptions {
  readonly url: string;
  /** Paths: `{n}` is replaced by a number that counts up from `from`, modulo `cycle` when that is given. */
  readonly path: string;
  readonly from: number;
  readonly cycle?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  /** Seconds; or `amount` requests. */
  readonly duration?: number;
  readonly amount?: number;
}

export interface LoadResult {
  readonly perSecond: number;
  /** Ms. */
  readonly p50: number;
  readonly p99: number;
  readonly requests: number;
  /** Answers that were not 2xx, and errors. */
  readonly failures: number;
}

async function run(options: LoadOptions): Promise<LoadResult> {
  let sent = options.from;
  const pathOf = (): string => {
    const n = options.cycle === undefined ? sent : sent % options.cycle;
    sent++;
    return options.path.replace('{n}', String(n));
  };
  const varies = options.path.includes('{n}');
  const result = await autocannon({
    url: options.url,
    connections: options.connections,
    ...(options.amount === undefined ? { duration: options.duration ?? 5 } : { amount: options.amount }),
    headers: options.headers,
    requests: [varies ? { setupRequest: (request) => ({ ...request, path: pathOf() }) } : { path: options.path }],
  });
  return {
    perSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    requests: result.requests.total,
    failures: result.non2xx + result.errors,
  };
}

const [argument] = process.argv.slice(2);
if (argument !== undefined) console.log(JSON.stringify(await run(JSON.parse(argument) as LoadOptions)));
