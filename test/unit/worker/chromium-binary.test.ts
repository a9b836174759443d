import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../../src/worker/chromium-binary.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'browser-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const program = async (name: string, script: string): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
};

describe('finding the browser', () => {
  it('takes the one that is named, with its version', async () => {
    const path = await program('chrome', 'echo "Google Chrome 150.0.1.2"');
    expect(await findChromium(path)).toEqual({ path, env: {}, major: '150' });
  });

  it('says which file cannot be run, and which library it lacks', async () => {
    await expect(findChromium(join(folder, 'none'))).rejects.toThrow(/none cannot be run/);
    const lacking = await program(
      'lacking',
      'echo "lacking: error while loading shared libraries: libnss3.so: cannot open" >&2; exit 127',
    );
    await expect(findChromium(lacking)).rejects.toThrow(/lacks the library libnss3\.so/);
    const odd = await program('odd', 'echo hello');
    await expect(findChromium(odd)).rejects.toThrow(/said "hello/);
  });
});
