import { spawn } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { anonymousMemory, groupMembers, killHard } from '../../../src/worker/process-group.ts';

describe.runIf(process.platform === 'linux')('a process group', () => {
  it('lists its live members, knows their memory, and is killed as a whole', async () => {
    const child = spawn(
      process.execPath,
      ['-e', 'console.log(1); setInterval(() => {}, 1000)', '--', '--type=renderer'],
      { detached: true, stdio: ['ignore', 'pipe', 'ignore'] },
    );
    const pid = child.pid ?? 0;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    try {
      await new Promise((resolve) => child.stdout.once('data', resolve));
      expect(groupMembers(pid)).toEqual([{ pid, isRenderer: true }]);
      expect(anonymousMemory(pid)).toBeGreaterThan(1 << 20);
    } finally {
      killHard(-pid);
    }
    await exited;
    expect(groupMembers(pid)).toEqual([]);
    expect(anonymousMemory(pid)).toBe(0);
    expect(() => killHard(-pid)).not.toThrow();
  });
});

describe('killing hard', () => {
  it('a process that is gone, or by now another user’s, is fine; any other error is told', () => {
    const kill = vi.spyOn(process, 'kill');
    try {
      for (const code of ['ESRCH', 'EPERM', 'EINVAL']) {
        kill.mockImplementationOnce(() => {
          throw Object.assign(new Error(code), { code });
        });
        if (code === 'EINVAL') expect(() => killHard(5)).toThrow('EINVAL');
        else expect(() => killHard(5)).not.toThrow();
      }
    } finally {
      kill.mockRestore();
    }
  });
});
