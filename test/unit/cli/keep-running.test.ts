import { describe, expect, it } from 'vitest';
import { keepRunning } from '../../../src/cli/keep-running.ts';
import type { Stoppable } from '../../../src/cli/keep-running.ts';
import type { ProcessExit } from '../../../src/cli/processes.ts';
import { waitFor } from '../../harper/harness/wait-for.ts';

interface Fake extends Stoppable {
  end(exit: ProcessExit): void;
  stopped: number;
}

function fake(log = ''): Fake {
  let end: (exit: ProcessExit) => void = () => undefined;
  const exited = new Promise<ProcessExit>((resolve) => (end = resolve));
  const one: Fake = {
    exited,
    end,
    stopped: 0,
    log: () => log,
    stop() {
      one.stopped++;
      end({ code: 0, signal: null });
      return exited;
    },
  };
  return one;
}

const KILLED: ProcessExit = { code: null, signal: 'SIGKILL' };

describe('what is kept running', () => {
  it('is started again when it ends by itself, with its last lines told', async () => {
    const said: string[] = [];
    const [first, second] = [fake('one\ntwo\n'), fake()];
    const kept = keepRunning({
      name: 'It',
      first,
      again: async () => second,
      say: (line) => said.push(line),
      delayMs: 1,
    });
    first.end(KILLED);
    await waitFor(() => kept.current() === second, { what: 'the second runs' });
    expect(said[0]).toMatch(/^It ended with SIGKILL; it is started again\..*\n {4}one\n {4}two$/);
    await kept.stop();
    expect(second.stopped).toBeGreaterThan(0);
  });

  it('is tried again when a start fails', async () => {
    const said: string[] = [];
    const [first, second] = [fake(), fake()];
    let attempts = 0;
    const again = async (): Promise<Fake> => {
      if (++attempts < 3) throw new Error(`attempt ${attempts} failed`);
      return second;
    };
    const kept = keepRunning({ name: 'It', first, again, say: (line) => said.push(line), delayMs: 1, maxDelayMs: 2 });
    first.end(KILLED);
    await waitFor(() => kept.current() === second, { what: 'the third attempt has worked' });
    expect(said.filter((line) => line.includes('failed'))).toHaveLength(2);
    expect(said.filter((line) => line.includes('ended with'))).toHaveLength(1);
    await kept.stop();
  });

  it('is not started again once it was stopped', async () => {
    const first = fake();
    let starts = 0;
    const again = async (): Promise<Fake> => (starts++, fake());
    const kept = keepRunning({ name: 'It', first, again, say: () => undefined, delayMs: 1 });
    await kept.stop();
    await kept.stop();
    expect(starts).toBe(0);
  });

  it('that comes up while the stop is under way is stopped too', async () => {
    const [first, second] = [fake(), fake()];
    let finish: (one: Fake) => void = () => undefined;
    let started = false;
    const again = (): Promise<Fake> => {
      started = true;
      return new Promise((resolve) => (finish = resolve));
    };
    const kept = keepRunning({ name: 'It', first, again, say: () => undefined, delayMs: 1 });
    first.end(KILLED);
    await waitFor(() => started, { what: 'the start is under way' });
    const stopping = kept.stop();
    finish(second);
    await stopping;
    expect(second.stopped).toBe(1);
  });
});
