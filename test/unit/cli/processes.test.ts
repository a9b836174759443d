import { describe, expect, it } from 'vitest';
import { inheritedEnvironment } from '../../../src/cli/harper-environment.ts';
import { startNodeProcess } from '../../../src/cli/processes.ts';
import type { ManagedProcess } from '../../../src/cli/processes.ts';
import { waitFor } from '../../harper/harness/wait-for.ts';

function run(program: string, onLine?: (line: string) => void): ManagedProcess {
  return startNodeProcess({ name: 'test', args: ['-e', program], cwd: '/', env: inheritedEnvironment(), onLine });
}

const FOREVER = 'setInterval(() => {}, 1000);';
const ready = (child: ManagedProcess) => waitFor(() => child.log().includes('ready'), { what: 'the program runs' });

describe('a managed process', () => {
  it('tells how it ended, and keeps what it wrote without colours', async () => {
    const lines: string[] = [];
    const child = run(`console.log('\\x1b[31mred\\x1b[0m'); console.error('to stderr'); process.exit(3)`, (line) =>
      lines.push(line),
    );
    expect(await child.exited).toEqual({ code: 3, signal: null });
    expect(child.exit()).toEqual({ code: 3, signal: null });
    expect(child.log()).toMatch(/^red$/m);
    expect(lines.sort()).toEqual(['red', 'to stderr']);
  });

  it('gets none of the variables that are not meant for it', async () => {
    process.env.HTTP_PORT = '1';
    const child = run('console.log(JSON.stringify(process.env))');
    delete process.env.HTTP_PORT;
    await child.exited;
    expect(JSON.parse(child.log())).not.toHaveProperty('HTTP_PORT');
  });

  it('may finish what it does when it is stopped', async () => {
    const child = run(
      `process.on('SIGTERM', () => { console.log('finished'); process.exit(0); }); console.log('ready');${FOREVER}`,
    );
    await ready(child);
    expect(await child.stop()).toEqual({ code: 0, signal: null });
    expect(child.log()).toContain('finished');
    expect(await child.stop()).toEqual({ code: 0, signal: null });
  });

  it('is killed when it does not stop in time, with its own children', async () => {
    const child = run(`
      const { spawn } = require('node:child_process');
      process.on('SIGTERM', () => {});
      const grandchild = spawn(process.execPath, ['-e', '${FOREVER}'], { stdio: 'ignore' });
      console.log('grandchild ' + grandchild.pid + ' ready');${FOREVER}`);
    await ready(child);
    const grandchild = Number(/grandchild (\d+)/.exec(child.log())?.[1]);
    expect(await child.stop(100)).toEqual({ code: null, signal: 'SIGKILL' });
    await waitFor(() => !isAlive(grandchild), { what: 'the grandchild has ended' });
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
