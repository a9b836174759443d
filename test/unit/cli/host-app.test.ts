import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { packageRoot, writeHostApp } from '../../../src/cli/host-app.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'host-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('a host app mounts this package, found from its own node_modules', () => {
  const app = writeHostApp(dir, { domains: ['a.example'] });
  expect(parse(readFileSync(app.configFile, 'utf8'))).toEqual({
    'harper-prerender': { package: 'harper-prerender', files: '/', domains: ['a.example'] },
  });
  expect(readlinkSync(join(dir, 'node_modules', 'harper-prerender'))).toBe(packageRoot());
  const manifest = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { name: string };
  expect(manifest.name).toBe('harper-prerender');
});

it('a host app is rewritten with another package directory', () => {
  writeHostApp(dir, {});
  writeHostApp(dir, {}, '/elsewhere');
  expect(readlinkSync(join(dir, 'node_modules', 'harper-prerender'))).toBe('/elsewhere');
});

it('options are replaced by a new file or in the old one', () => {
  const app = writeHostApp(dir, {});
  const before = statSync(app.configFile).ino;
  app.writeOptions({ a: 1 }, 'in-place');
  expect(statSync(app.configFile).ino).toBe(before);
  app.writeOptions({ a: 2 }, 'rename');
  expect(statSync(app.configFile).ino).not.toBe(before);
  expect(readFileSync(app.configFile, 'utf8')).toContain('a: 2');
});
