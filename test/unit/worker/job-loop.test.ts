import { describe, expect, it } from 'vitest';
import type { RenderJob } from '../../../src/protocol/job.ts';
import { runJobLoop, type JobLoopParts } from '../../../src/worker/job-loop.ts';
import { failureMessage } from '../../../src/worker/result-message.ts';

const job = (id: string): RenderJob => ({
  id,
  url: `https://shop.test/${id}`,
  deviceType: 'desktop',
  expiresAt: Date.now() + 60_000,
  callbackOrigin: 'a',
  isFromSitemap: false,
});

const until = async (what: string, condition: () => boolean): Promise<void> => {
  const end = Date.now() + 5000;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`not reached: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
};

interface Stage {
  waiting: RenderJob[];
  claims: { server: string; limit: number; running: number; at: number }[];
  delivered: { server: string; id: string }[];
  running: Map<string, () => void>;
  lines: string[];
  failClaims: boolean;
}

const stage = (overrides: Partial<JobLoopParts> = {}) => {
  const state: Stage = { waiting: [], claims: [], delivered: [], running: new Map(), lines: [], failClaims: false };
  const stop = new AbortController();
  const loop = runJobLoop(
    {
      servers: ['http://a:1'],
      concurrency: 2,
      claimLimit: 10,
      pollInterval: 5,
      pollMaxInterval: 40,
      client: {
        async claim(server, limit) {
          state.claims.push({ server, limit, running: state.running.size, at: Date.now() });
          if (state.failClaims) throw new Error('refused');
          return state.waiting.splice(0, limit);
        },
        async deliver(server, message) {
          state.delivered.push({ server, id: message.metadata.id });
          return { delivered: true };
        },
        close: async () => undefined,
      },
      ready: async () => undefined,
      run: (granted) =>
        new Promise((resolve) =>
          state.running.set(granted.id, () => {
            state.running.delete(granted.id);
            resolve(failureMessage(granted, new Error('x'), 1));
          }),
        ),
      log: (level, message) => state.lines.push(`${level} ${message}`),
      deliveryEnd: new AbortController().signal,
      now: Date.now,
      random: () => 0.5,
      ...overrides,
    },
    stop.signal,
  );
  return { state, stop, loop };
};

describe('the job loop', () => {
  it('claims for its free slots only, and again as soon as one is free', async () => {
    const { state, stop, loop } = stage();
    state.waiting.push(job('1'), job('2'), job('3'));
    await until('two run', () => state.running.size === 2);
    state.running.get('1')?.();
    await until('the third runs', () => state.running.has('3'));
    expect(state.claims.at(-1)?.limit).toBe(1);
    expect(state.claims.filter(({ limit, running }) => limit + running > 2 || limit < 1)).toEqual([]);
    for (const finish of state.running.values()) finish();
    stop.abort();
    await loop;
    expect(state.delivered.map(({ id }) => id).sort()).toEqual(['1', '2', '3']);
  });

  it('claims no more once it is told to stop, and ends when what runs has reported', async () => {
    const { state, stop, loop } = stage();
    state.waiting.push(job('1'));
    await until('it runs', () => state.running.size === 1);
    stop.abort();
    state.waiting.push(job('2'));
    let ended = false;
    void loop.then(() => (ended = true));
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(false);
    state.running.get('1')?.();
    await loop;
    expect(state.delivered).toEqual([{ server: 'http://a:1', id: '1' }]);
    expect(state.waiting).toHaveLength(1);
  });

  it('waits longer and longer while there is nothing, up to the limit', async () => {
    const { state, stop, loop } = stage();
    await until('seven claims', () => state.claims.length >= 7);
    stop.abort();
    await loop;
    const gaps = state.claims.slice(1).map(({ at }, i) => at - (state.claims[i]?.at ?? 0));
    expect(gaps[0]).toBeLessThan(gaps[4] ?? 0);
    expect(gaps[5]).toBeGreaterThanOrEqual(38);
  });

  it('asks all its servers, whatever one of them says', async () => {
    const { state, stop, loop } = stage({ servers: ['http://a:1', 'http://b:2'] });
    await until('both are asked', () => new Set(state.claims.map(({ server }) => server)).size === 2);
    stop.abort();
    await loop;
  });

  it('says once that claims fail, goes on, and says when they are answered again', async () => {
    const { state, stop, loop } = stage();
    state.failClaims = true;
    await until('three claims', () => state.claims.length >= 3);
    expect(state.lines.filter((line) => line.startsWith('error'))).toHaveLength(1);
    state.failClaims = false;
    await until('it is answered', () => state.lines.some((line) => line.includes('answered again')));
    stop.abort();
    await loop;
  });

  it('claims nothing while no browser can be started', async () => {
    let tries = 0;
    const { state, stop, loop } = stage({
      ready: async () => {
        if (++tries < 3) throw new Error('no browser');
      },
    });
    state.waiting.push(job('1'));
    await until('it runs', () => state.running.size === 1);
    expect(state.claims.length).toBeLessThanOrEqual(tries - 2);
    state.running.get('1')?.();
    stop.abort();
    await loop;
  });

  it('delivers no longer than it is told to', async () => {
    const deliveryEnd = new AbortController();
    const granted = job('1');
    const { state, stop, loop } = stage({
      deliveryEnd: deliveryEnd.signal,
      run: async () => failureMessage(granted, new Error('x'), 1),
      client: {
        claim: async () => state.waiting.splice(0),
        deliver: (_server, _message, _until, signal) =>
          new Promise((resolve) => {
            state.delivered.push({ server: '', id: 'begun' });
            signal.addEventListener('abort', () => resolve({ delivered: false, reason: 'stopped' }));
          }),
        close: async () => undefined,
      },
    });
    state.waiting.push(granted);
    await until('it delivers', () => state.delivered.length === 1);
    stop.abort();
    deliveryEnd.abort();
    await loop;
    expect(state.lines).toContain('error a result could not be delivered');
  });

  it('stops at once when it was told to before it began', async () => {
    const parts = stage();
    parts.stop.abort();
    await parts.loop;
    expect(parts.state.running.size).toBe(0);
  });
});
