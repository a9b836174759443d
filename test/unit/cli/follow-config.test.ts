import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { followConfig } from '../../../src/cli/follow-config.ts';
import { writeHostApp } from '../../../src/cli/host-app.ts';
import { waitFor } from '../../harper/harness/wait-for.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'follow-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it("the operator's file is copied into the app when it changes, also when it is broken", async () => {
  const file = join(dir, 'host.yaml');
  writeFileSync(file, 'harper-prerender: {}\n');
  const app = writeHostApp(join(dir, 'app'), {});
  const said: string[] = [];
  const following = followConfig({
    file,
    app,
    shopOrigin: 'http://127.0.0.1:4000',
    say: (line) => said.push(line),
    intervalMs: 20,
  });
  const copied = () => readFileSync(app.configFile, 'utf8');

  writeFileSync(file, 'harper-prerender: { domains: [own.example] }\n');
  await waitFor(() => copied().includes('own.example'), { what: 'the change has arrived' });
  expect(copied()).toContain('shop.example: http://127.0.0.1:4000');

  writeFileSync(file, 'broken: [\n');
  await waitFor(() => copied().startsWith('broken'), { what: 'the broken file has arrived' });
  expect(said.at(-1)).toMatch(/cannot be read/);
  await following.stop();
});
