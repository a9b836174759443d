import { describe, expect, it } from 'vitest';
import { createConfigStore } from '../../../src/config/config-store.ts';
import { count, flag, text, type OptionGroup } from '../../../src/config/descriptor.ts';
import { problemOf } from '../../../src/config/problem.ts';
import { createValidator } from '../../../src/config/validate.ts';
import { OPTIONS } from '../../../src/config/schema.ts';
import type { Logger } from '../../../src/harper/logger.ts';

const validator = createValidator(OPTIONS);

function recordingLogger(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const to = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  return { lines, error: to('error'), warn: to('warn'), info: to('info'), debug: to('debug') };
}

function storeOf(options: unknown, group: OptionGroup = OPTIONS) {
  const logger = recordingLogger();
  const store = createConfigStore([{ name: 'config.yaml', options }], {
    logger,
    validator: group === OPTIONS ? validator : createValidator(group),
  });
  return { store, logger };
}

describe('at boot', () => {
  it('logs a bad value as an error, shows it and takes the default', () => {
    const { store, logger } = storeOf({ domains: ['a.test'], render: { interval: '5m' } });
    expect(store.current().render.interval).toBe(86_400_000);
    expect(store.problems()).toMatchObject([{ severity: 'error', path: 'render.interval' }]);
    expect(logger.lines).toEqual([expect.stringMatching(/^error: .*render\.interval.*300000/)]);
  });

  it('names the layer of a closed security option', () => {
    const { store } = storeOf({ domain: ['a.test'] });
    expect(store.layerOf('domains')).toBe('closed');
    expect(store.current().domains).toEqual([]);
  });
});

describe('a live change', () => {
  it('swaps the snapshot whole and tells listeners the next and the previous one', () => {
    const { store } = storeOf({ domains: ['a.test'] });
    const before = store.current();
    const seen: unknown[] = [];
    store.onChange((next, previous) => seen.push([next, previous]));
    expect(store.apply({ domains: ['b.test'], render: { maxClaim: 5 } })).toBe('applied');
    expect(before.domains).toEqual(['a.test']);
    expect(store.current()).toMatchObject({ domains: ['b.test'], render: { maxClaim: 5 } });
    expect(Object.isFrozen(store.current().render)).toBe(true);
    expect(seen).toEqual([[store.current(), before]]);
  });

  it('back to nothing brings the defaults back', () => {
    const { store } = storeOf({ domains: ['a.test'], render: { maxClaim: 5 } });
    store.apply({ domains: ['a.test'] });
    expect(store.current().render.maxClaim).toBe(100);
    expect(store.layerOf('render.maxClaim')).toBe('defaults');
  });

  it('that changes nothing keeps the snapshot and tells nobody', () => {
    const { store } = storeOf({ domains: ['a.test'] });
    const before = store.current();
    let calls = 0;
    store.onChange(() => calls++);
    expect(store.apply({ domains: ['a.test'], render: null })).toBe('unchanged');
    expect(store.current()).toBe(before);
    expect(calls).toBe(0);
  });

  it('reaches the other listeners when one throws, and none that has left', () => {
    const { store, logger } = storeOf({ domains: ['a.test'] });
    let calls = 0;
    store.onChange(() => {
      throw new Error('cannot');
    });
    store.onChange(() => calls++);
    store.onChange(() => (calls += 100))();
    store.apply({ domains: ['b.test'] });
    expect(calls).toBe(1);
    expect(logger.lines).toContain('error: A part could not take the changed configuration: cannot');
  });

  it.each([
    ['a bad value', { domains: ['b.test'], render: { maxClaim: 'many' } }],
    ['a misspelt key', { domains: ['b.test'], rendr: {} }],
    ['a bad security option', { domains: 'b.test' }],
    ['no object', 'x'],
  ])('with %s keeps the last good configuration whole, and says so', (_name, options) => {
    const { store, logger } = storeOf({ domains: ['a.test'], render: { maxClaim: 5 } });
    const before = store.current();
    expect(store.apply(options)).toBe('refused');
    expect(store.current()).toBe(before);
    expect(store.problems()).toMatchObject([{ severity: 'error' }]);
    expect(store.problems()[0]?.text).toContain('The whole configuration stays as it was');
    expect(logger.lines.filter((line) => line.startsWith('error: '))).toHaveLength(1);
  });

  it('that is good clears what was refused', () => {
    const { store } = storeOf({ domains: ['a.test'] });
    store.apply({ domains: 'x' });
    expect(store.apply({ domains: ['a.test'], render: { maxClaim: 5 } })).toBe('applied');
    expect(store.problems()).toEqual([]);
  });

  it('mends what was bad at boot', () => {
    const { store } = storeOf({ domain: ['a.test'], ingress: { routes: [{ match: 'prefix', path: 'x' }] } });
    store.apply({ domains: ['a.test'], ingress: { routes: [{ match: 'prefix', path: '/x' }] } });
    expect(store.problems()).toEqual([]);
    expect(store.pending()).toEqual([]);
    expect(store.current().domains).toEqual(['a.test']);
    expect(store.current().ingress.routes).toHaveLength(1);
  });

  it('of another layer is taken although the first one was bad at boot', () => {
    const { store } = storeOf({ domains: ['a.test'], render: { interval: 'x' } });
    expect(store.apply({ render: { maxClaim: 5 } }, 'overrides')).toBe('applied');
    expect(store.layerOf('render.maxClaim')).toBe('overrides');
    expect(store.problems()).toMatchObject([{ path: 'render.interval' }]);
  });

  it('of the first layer leaves the overrides above it', () => {
    const { store } = storeOf({ domains: ['a.test'] });
    store.apply({ render: { maxClaim: 5 } }, 'overrides');
    store.apply({ domains: ['a.test'], render: { maxClaim: 6 } });
    expect(store.current().render.maxClaim).toBe(5);
  });

  it('that cannot be read keeps what is in force, and is shown until it can', () => {
    const { store } = storeOf({ domains: ['a.test'] });
    const problem = problemOf({
      severity: 'error',
      path: '',
      value: null,
      problem: 'is not valid YAML at line 3, column 1',
      hint: '',
      layer: 'config.yaml',
      consequence: 'What was in force stays',
    });
    expect(store.accept({ ok: false, problem })).toBe('refused');
    expect(store.current().domains).toEqual(['a.test']);
    expect(store.problems()).toEqual([problem]);
    store.accept({ ok: true, layer: { name: 'config.yaml', options: { domains: ['a.test'] } } });
    expect(store.problems()).toEqual([]);
  });
});

describe('a live change that would re-key cached pages', () => {
  const route = { match: 'prefix', path: '/p', mode: 'prerender' };
  const initial = { domains: ['a.test'], ingress: { routes: [route] } };

  it.each([
    ['cacheKey.plusIsSpace', { ...initial, cacheKey: { plusIsSpace: true } }],
    ['cacheKey.trailingSlash', { ...initial, cacheKey: { trailingSlash: 'strip' } }],
    ['cacheKey.decodeReserved', { ...initial, cacheKey: { decodeReserved: ':' } }],
    ['render.devices', { ...initial, render: { devices: ['desktop'] } }],
    ['ingress.routes', { ...initial, ingress: { routes: [{ ...route, queryParams: ['a'] }] } }],
    ['ingress.routes', { ...initial, ingress: { routes: [{ match: 'exact', path: '/p/1' }, route] } }],
    ['ingress.routes', { domains: ['a.test'] }],
  ])('is refused, and the rest of it is taken: %s', (path, changed) => {
    const { store, logger } = storeOf(initial);
    const before = store.current();
    expect(store.apply({ ...changed, domains: ['b.test'] })).toBe('applied');
    expect(store.current()).toEqual({ ...before, domains: ['b.test'] });
    expect(store.pending()).toMatchObject([{ path, why: 'rekeys' }]);
    expect(logger.lines.join('\n')).toMatch(/warn: .*re-key cached pages/);
  });

  it('is pending until it is taken back', () => {
    const { store } = storeOf(initial);
    store.apply({ ...initial, cacheKey: { plusIsSpace: true } });
    store.apply({ ...initial, cacheKey: { plusIsSpace: true }, render: { maxClaim: 5 } });
    expect(store.pending()).toHaveLength(1);
    expect(store.apply({ ...initial, render: { maxClaim: 5 } })).toBe('unchanged');
    expect(store.pending()).toEqual([]);
  });

  it('does not lie in the interval or mode of a route, nor in the first routes', () => {
    const { store } = storeOf({ domains: ['a.test'] });
    expect(store.apply(initial)).toBe('applied');
    const changed = { ...route, renderInterval: 120_000, mode: 'passthrough' };
    expect(store.apply({ ...initial, ingress: { routes: [changed] } })).toBe('applied');
    expect(store.current().ingress.routes).toEqual([changed]);
    expect(store.pending()).toEqual([]);
  });
});

describe('an option that is read at boot', () => {
  const group = {
    threads: count(1, { min: 1, max: 9 }, 'Threads.', { reload: 'restart' }),
    token: text('', 'Token.', { reload: 'restart', secret: true }),
    verbose: flag(false, 'More.'),
  };

  it('stays until a restart and is listed, its secrets hidden', () => {
    const logger = recordingLogger();
    const store = createConfigStore([{ name: 'config.yaml', options: { threads: 2 } }], {
      logger,
      validator: createValidator(group),
      warnings: () => [],
    });
    store.apply({ threads: 3, token: 'abc', verbose: true });
    expect(store.current()).toEqual({ threads: 2, token: '', verbose: true });
    expect(store.pending()).toMatchObject([
      { path: 'threads', inForce: '2', wanted: '3', why: 'restart' },
      { path: 'token', why: 'restart' },
    ]);
    expect(JSON.stringify(store.pending())).not.toContain('abc');
    expect(store.layerOf('threads')).toBe('config.yaml');
  });
});
