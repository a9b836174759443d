import { createRequire } from 'node:module';
import { createBotNamer } from '../../src/bot/identity/get-bot-name.ts';

interface CrawlerPattern {
  readonly instances: readonly string[];
}

/** Few enough that the strings are still in the processor's cache, as a header just parsed is. */
const BATCH = 1_000;

/** A string of its own per call, as the HTTP parser makes them: its hash is not computed yet. */
function freshCopies(userAgents: readonly string[], count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, index) =>
    Buffer.from(userAgents[(from + index) % userAgents.length] ?? '', 'latin1').toString('latin1'),
  );
}

interface Batch {
  readonly inputs: readonly string[];
  readonly call: (input: string) => string;
}

/** Nanoseconds per call; the median of many batches, since other processes share the machine. */
function nanosecondsPerCall(batches: number, prepare: (batch: number) => Batch): number {
  const perCall: number[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const { inputs, call } = prepare(batch);
    let letters = 0;
    const start = process.hrtime.bigint();
    for (const input of inputs) letters += call(input).length;
    const elapsed = Number(process.hrtime.bigint() - start);
    if (letters === 0) throw new Error('nothing was named');
    perCall.push(elapsed / inputs.length);
  }
  return perCall.sort((a, b) => a - b)[Math.floor(batches / 2)] ?? NaN;
}

function report(label: string, nanoseconds: number, limit: number): void {
  console.log(`${label.padEnd(52)} ${nanoseconds.toFixed(0).padStart(7)} ns  (to reach: ${limit} ns)`);
}

/** Prints nanoseconds per `getBotName` call for seen and for new User-Agents of crawlers and of browsers. */
export async function benchIdentity(): Promise<void> {
  const require = createRequire(import.meta.url);
  const crawlers = (require('crawler-user-agents') as CrawlerPattern[]).flatMap(({ instances }) => instances);
  const browsers = require('../data/browser-user-agents.json') as string[];
  for (const [kind, userAgents] of [['crawlers', crawlers] as const, ['browsers', browsers] as const]) {
    const namer = createBotNamer({ bots: [], cacheSize: 2 * userAgents.length });
    for (const userAgent of userAgents) namer.getBotName(userAgent);
    report(
      `getBotName, seen, ${kind}`,
      nanosecondsPerCall(400, (batch) => ({
        inputs: freshCopies(userAgents, BATCH, batch * BATCH),
        call: namer.getBotName,
      })),
      200,
    );
    report(
      `getBotName, new, ${kind}`,
      nanosecondsPerCall(40, () => ({
        inputs: freshCopies(userAgents, userAgents.length),
        call: createBotNamer({ bots: [] }).getBotName,
      })),
      5_000,
    );
  }
  const junk = [
    'a'.repeat(1_000),
    'bot.'.repeat(250),
    'a-'.repeat(500),
    'a@'.repeat(500),
    `a${' '.repeat(998)}b`,
    '-1'.repeat(500),
    '(+http://'.repeat(110),
    'compatible; '.repeat(80),
  ];
  const namer = createBotNamer({ bots: [] });
  report(
    'getBotName, new, 1,000 characters of junk',
    nanosecondsPerCall(10, () => ({ inputs: junk, call: namer.getBotName })),
    100_000,
  );
}
