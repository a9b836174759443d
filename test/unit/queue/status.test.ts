import { describe, expect, it } from 'vitest';
import { createKeeper } from '../../../src/queue/keeper.ts';
import { MemoryNode } from '../fakes/memory-table.ts';
import { TurnedClock } from '../fakes/turned-clock.ts';
import { QueueNode } from './queue-node.ts';

describe('the published state', () => {
  it('is written when it changes, and not otherwise', async () => {
    const node = new QueueNode();
    const thread = node.thread();
    const state = () => node.status.entry('node-1')?.value.status;
    /** Reading what is due takes turns of the event loop. */
    const passes = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second++) {
        await node.clock.turn(1_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await thread.start();
    await passes(5);
    expect(state()).toBe('empty');
    expect(node.status.writes).toBe(1);
    await node.due('https://shop.test/a');
    await passes(5);
    expect(state()).toBe('queued');
    await thread.pause.pause('*', { who: 'ada', reason: 'night' });
    await passes(5);
    expect(state()).toBe('paused');
    await thread.pause.resume('*', { who: 'ada', reason: 'day' });
    await passes(5);
    expect(state()).toBe('queued');
    expect(node.status.writes).toBe(4);
    await thread.stop();
  });
});

describe('the keeper', () => {
  it('is one thread at a time; another takes over when it dies', async () => {
    const shared = new MemoryNode();
    const clock = new TurnedClock();
    const runs = [0, 0];
    const locks = [shared.threadLocks(), shared.threadLocks()];
    const keepers = locks.map((own, index) =>
      createKeeper({
        lock: 'k',
        locks: own,
        clock,
        tasks: [{ name: 't', everyMs: () => 100, run: async () => void runs[index]!++ }],
        onError: () => undefined,
      }),
    );
    for (const keeper of keepers) keeper.start();
    await clock.turn(1_000);
    expect(keepers.map((keeper) => keeper.isKeeper())).toEqual([true, false]);
    expect(runs[1]).toBe(0);
    await keepers[0]!.stop();
    await clock.turn(2_000);
    expect(keepers.map((keeper) => keeper.isKeeper())).toEqual([false, true]);
    expect(runs[1]).toBeGreaterThan(0);
    await keepers[1]!.stop();
  });

  it('keeps to a wait that was shortened while it ran', async () => {
    const clock = new TurnedClock();
    let everyMs = 3_600_000;
    let runs = 0;
    const keeper = createKeeper({
      lock: 'k',
      locks: new MemoryNode().threadLocks(),
      clock,
      tasks: [{ name: 't', everyMs: () => everyMs, run: async () => void runs++ }],
      onError: () => undefined,
    });
    keeper.start();
    await clock.turn(60_000);
    expect(runs).toBe(0);
    everyMs = 60_000;
    await clock.turn(20_000);
    expect(runs).toBe(1);
    await keeper.stop();
  });

  it('goes on after a task has thrown', async () => {
    const clock = new TurnedClock();
    const errors: string[] = [];
    const keeper = createKeeper({
      lock: 'k',
      locks: new MemoryNode().threadLocks(),
      clock,
      tasks: [{ name: 'bad', everyMs: () => 100, run: () => Promise.reject(new Error('no')) }],
      onError: (task, error) => errors.push(`${task} ${String(error)}`),
    });
    keeper.start();
    for (let round = 0; round < 3; round++) {
      await clock.turn(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(errors.length).toBeGreaterThanOrEqual(2);
    await keeper.stop();
  });
});
