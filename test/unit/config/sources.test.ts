import { EventEmitter } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDirectSource, createMountedSource, type SourceUpdate } from '../../../src/config/sources.ts';
import { startConfig } from '../../../src/config/start-config.ts';
import { createSystemClock } from '../../../src/harper/clock.ts';

const clock = createSystemClock((error) => {
  throw error;
});
const TIMING = { clock, quietMs: 20, pollMs: 100 };
const WAIT = { timeout: 5_000, interval: 10 };
const HARPER_KEYS =
  'rest: true\ngraphqlSchema:\n  files: schema.graphql\njsResource:\n  files: dist/resources.js\npluginModule: dist/plugin.js\nroles:\n  files: roles.yaml\n';

const QUIET = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

let directory: string;
let file: string;
const closers: (() => void)[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'config-'));
  file = join(directory, 'config.yaml');
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
  rmSync(directory, { recursive: true, force: true });
});

function direct(yaml: string) {
  writeFileSync(file, HARPER_KEYS + yaml);
  const source = createDirectSource(directory, TIMING);
  closers.push(() => source.close());
  const updates: SourceUpdate[] = [];
  source.subscribe((update) => updates.push(update));
  return { source, updates };
}

function textOf(update: SourceUpdate | undefined): string {
  return update === undefined ? 'nothing' : update.ok ? JSON.stringify(update.layer.options) : update.problem.text;
}

describe('run directly as the app', () => {
  it("options stand beside Harper's keys in the own config.yaml", () => {
    const { source } = direct('domains: [a.test]\nrender: { maxClaim: 5 }\n');
    expect(source.initial).toEqual({
      name: 'config.yaml',
      options: { domains: ['a.test'], render: { maxClaim: 5 } },
    });
    expect(source.problem).toBeNull();
  });

  it('sees the file written in place', async () => {
    const { updates } = direct('domains: [a.test]\n');
    writeFileSync(file, `${HARPER_KEYS}domains: [b.test]\n`);
    await vi.waitFor(() => expect(textOf(updates.at(-1))).toBe('{"domains":["b.test"]}'), WAIT);
  });

  it('sees the file replaced by a rename, again and again', async () => {
    const { updates } = direct('domains: [a.test]\n');
    for (const host of ['b.test', 'c.test']) {
      const other = join(directory, '.config.yaml.swp');
      writeFileSync(other, `${HARPER_KEYS}domains: [${host}]\n`);
      renameSync(other, file);
      await vi.waitFor(() => expect(textOf(updates.at(-1))).toBe(`{"domains":["${host}"]}`), WAIT);
    }
  });

  it('waits for a file that is away for a moment', async () => {
    const { updates } = direct('domains: [a.test]\n');
    const away = join(directory, 'config.yaml~');
    renameSync(file, away);
    writeFileSync(join(directory, 'other.txt'), 'x');
    writeFileSync(away, `${HARPER_KEYS}domains: [b.test]\n`);
    renameSync(away, file);
    await vi.waitFor(() => expect(updates.map(textOf)).toEqual(['{"domains":["b.test"]}']), WAIT);
  });

  it('reports broken YAML with line and column and no excerpt, and what follows', async () => {
    const { updates } = direct('domains: [a.test]\n');
    writeFileSync(file, `${HARPER_KEYS}origin:\n  bypassToken: "secret\ndomains: [a.test]\n`);
    await vi.waitFor(() => expect(textOf(updates.at(-1))).toMatch(/not valid YAML at line \d+, column \d+/), WAIT);
    expect(textOf(updates.at(-1))).not.toContain('secret');
    writeFileSync(file, `${HARPER_KEYS}domains: [b.test]\n`);
    await vi.waitFor(() => expect(textOf(updates.at(-1))).toBe('{"domains":["b.test"]}'), WAIT);
  });

  it('takes an emptied file for one that is being written', async () => {
    const { updates } = direct('domains: [a.test]\n');
    writeFileSync(file, '');
    await vi.waitFor(() => expect(textOf(updates.at(-1))).toContain('is empty'), WAIT);
  });

  it('has no options and says so when the file is broken or missing at boot', () => {
    writeFileSync(file, 'a: [');
    for (const root of [directory, join(directory, 'missing')]) {
      const source = createDirectSource(root, TIMING);
      closers.push(() => source.close());
      expect(source.initial.options).toBeUndefined();
      expect(source.problem?.severity).toBe('error');
      const { store, stop } = startConfig(source, QUIET);
      expect(store.current().domains).toEqual([]);
      expect(store.problems()).toContain(source.problem);
      stop();
    }
  });

  it('refuses aliases that expand without end', () => {
    const bomb = [
      'a: &a [x, x]',
      ...'bcdefghij'.split('').map((key, at) => {
        const before = 'abcdefghij'[at] ?? '';
        return `${key}: &${key} [${Array(9).fill(`*${before}`).join(', ')}]`;
      }),
    ].join('\n');
    writeFileSync(file, bomb);
    const source = createDirectSource(directory, TIMING);
    closers.push(() => source.close());
    expect(source.problem?.problem).toMatch(/cannot be read/);
  });

  it('says nothing after it was closed', async () => {
    const { source, updates } = direct('domains: [a.test]\n');
    const other = createDirectSource(directory, TIMING);
    closers.push(() => other.close());
    let seen = false;
    other.subscribe(() => (seen = true));
    source.close();
    writeFileSync(file, `${HARPER_KEYS}domains: [b.test]\n`);
    await vi.waitFor(() => expect(seen).toBe(true), WAIT);
    expect(updates).toEqual([]);
  });

  it('carries a live change into the store', async () => {
    const { store } = startConfig(direct('domains: [a.test]\n').source, QUIET);
    writeFileSync(file, `${HARPER_KEYS}domains: [b.test]\nrender: { maxClaim: 0 }\n`);
    await vi.waitFor(() => expect(store.problems()).toMatchObject([{ path: 'render.maxClaim' }]), WAIT);
    expect(store.current().domains).toEqual(['a.test']);
    writeFileSync(file, `${HARPER_KEYS}domains: [b.test]\nrender: { maxClaim: 1 }\n`);
    await vi.waitFor(() => expect(store.current().domains).toEqual(['b.test']), WAIT);
    expect(store.problems()).toEqual([]);
  });
});

class FakeOptions extends EventEmitter {
  all: unknown = { package: 'harper-prerender', files: '/', timeout: 60_000, domains: ['a.test'] };
  getAll(): unknown {
    return this.all;
  }
}

function mounted() {
  writeFileSync(file, 'harper-prerender:\n  package: harper-prerender\n');
  const options = new FakeOptions();
  const source = createMountedSource({ options, configFilePath: file }, TIMING);
  closers.push(() => source.close());
  const updates: SourceUpdate[] = [];
  source.subscribe((update) => updates.push(update));
  return { options, source, updates };
}

describe('mounted by a host app', () => {
  it("options come without Harper's keys", () => {
    expect(mounted().source.initial.options).toEqual({ domains: ['a.test'] });
  });

  it('one event per changed key makes one update, of all options', async () => {
    const { options, updates } = mounted();
    options.all = { package: 'x', domains: ['b.test'], render: { maxClaim: 5 } };
    for (let at = 0; at < 5; at++) options.emit('change', ['domains'], at);
    await vi.waitFor(() => expect(updates).toHaveLength(1), WAIT);
    expect(textOf(updates[0])).toBe('{"domains":["b.test"],"render":{"maxClaim":5}}');
    options.emit('change', ['domains'], 'again');
    await vi.waitFor(() => expect(updates.length).toBeGreaterThan(1), WAIT);
    expect(updates).toHaveLength(2);
  });

  it("reports a host's config.yaml that is broken, though Harper says nothing", async () => {
    const { updates } = mounted();
    writeFileSync(file, 'harper-prerender:\n  domains: [a.test\nother: 1\n');
    await vi.waitFor(() => expect(textOf(updates.at(-1))).toMatch(/not valid YAML at line \d+, column \d+/), WAIT);
    writeFileSync(file, 'harper-prerender:\n  domains: [a.test]\n');
    await vi.waitFor(() => expect(updates.at(-1)?.ok).toBe(true), WAIT);
  });

  it('keeps what is in force when the block is gone', async () => {
    const { options, updates } = mounted();
    options.all = undefined;
    options.emit('change');
    await vi.waitFor(() => expect(textOf(updates.at(-1))).toContain('has no options of this component'), WAIT);
  });

  it('lets go of the options when it is closed', () => {
    const { options, source } = mounted();
    source.close();
    expect(options.listenerCount('change')).toBe(0);
  });
});
