import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eachOption } from '../../../src/config/locate.ts';
import { resolveConfig } from '../../../src/config/resolve.ts';
import { OPTIONS } from '../../../src/config/schema.ts';
import { createValidator } from '../../../src/config/validate.ts';

const validator = createValidator(OPTIONS);
const host = (options: unknown) => resolveConfig([{ name: 'config.yaml', options }], validator);
const only = (options: unknown) => {
  const errors = host(options).problems.filter(({ severity }) => severity === 'error');
  expect(errors).toHaveLength(1);
  return errors[0];
};
const SECURITY = [...eachOption(OPTIONS)].filter(([, option]) => option.security === true).map(([path]) => path);
const nested = (path: string, value: unknown): unknown =>
  path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
const valueAt = (config: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], config);

describe('defaults', () => {
  it('are complete and pass their own schema, group by group', () => {
    const { config } = host(undefined);
    for (const [group, value] of Object.entries(config)) {
      const { problems } = host({ [group]: JSON.parse(JSON.stringify(value)) as unknown });
      expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    }
  });

  it('serve no host, allow no private address and hold no token', () => {
    const { config } = host({});
    expect(config.domains).toEqual([]);
    expect(config.origin.privateAddresses).toEqual([]);
    expect(config.origin.bypassToken).toBe('');
    expect(config.ingress.skipToken).toBe('');
  });

  it('of headers take one line of printable ASCII, which a folded YAML text is not', () => {
    for (const page of [{ cacheControl: 'private, no-cache\n' }, { cdnCacheControl: 'no-störe' }]) {
      expect(only({ domains: ['shop.test'], page })?.text).toContain('printable ASCII');
    }
    expect(only({ domains: ['shop.test'], origin: { userAgents: { desktop: 'a\nb' } } })?.text).toContain('ASCII');
  });

  it('warn that no host is served', () => {
    expect(host({}).problems).toMatchObject([{ severity: 'warning', path: 'domains', layer: 'defaults' }]);
  });

  it.each([undefined, null, {}, { render: null }, { render: { suppression: undefined } }])(
    'stand when %j is all that is given',
    (options) => {
      expect(host(options).problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(host(options).config.render.suppression.maxStrikes).toBe(4);
    },
  );
});

describe('layers', () => {
  const layered = resolveConfig(
    [
      { name: 'config.yaml', options: { render: { interval: 7_200_000, maxClaim: 7 }, domains: ['shop.test'] } },
      { name: 'overrides', options: { render: { maxClaim: 9 } } },
    ],
    validator,
  );

  it('lie over each other, option by option', () => {
    expect(layered.config.render.interval).toBe(7_200_000);
    expect(layered.config.render.maxClaim).toBe(9);
    expect(layered.config.render.leaseTime).toBe(120_000);
  });

  it('are named for each option', () => {
    expect(layered.layerOf('render.interval')).toBe('config.yaml');
    expect(layered.layerOf('render.maxClaim')).toBe('overrides');
    expect(layered.layerOf('render.leaseTime')).toBe('defaults');
  });

  it('take the layer below when a value is bad', () => {
    const { config, layerOf } = resolveConfig(
      [
        { name: 'config.yaml', options: { render: { maxClaim: 7 } } },
        { name: 'overrides', options: { render: { maxClaim: 'many' } } },
      ],
      validator,
    );
    expect(config.render.maxClaim).toBe(7);
    expect(layerOf('render.maxClaim')).toBe('config.yaml');
  });

  it('keep default entries of a map beside those that are given', () => {
    const { userAgents } = host({ origin: { userAgents: { mobile: 'Phone' } } }).config.origin;
    expect(userAgents.mobile).toBe('Phone');
    expect(userAgents.desktop).toContain('HarperPrerender');
  });
});

describe('a mistake is told with path, value and what is right', () => {
  it.each([
    ['a misspelt key', { render: { intervall: 1 } }, 'render.intervall', 'Did you mean `render.interval`?'],
    ['a misspelt group', { rendr: { interval: 1 } }, 'rendr', 'Did you mean `render`?'],
    ['a key in another case', { page: { swr_ttl: 1 } }, 'page.swr_ttl', 'Did you mean `page.swrTtl`?'],
    ['swapped letters', { page: { swrTlt: 1 } }, 'page.swrTlt', 'Did you mean `page.swrTtl`?'],
    ['a key of another group', { leaseTime: 1 }, 'leaseTime', 'It is known as `render.leaseTime`'],
    ['a key like no other', { discovery: { zzz: 1 } }, 'discovery.zzz', 'Known here: respectNoStore'],
    ['a string for a list', { render: { devices: 'desktop' } }, 'render.devices', "Write a list: ['desktop']"],
    ['a number as text', { render: { maxClaim: '50' } }, 'render.maxClaim', 'Write the number without quotes: 50'],
    ['a duration as text', { render: { interval: '5m' } }, 'render.interval', 'Write milliseconds: 300000'],
    ['a long duration', { render: { interval: '1d 12 hours' } }, 'render.interval', 'Write milliseconds: 129600000'],
    [
      'words for a duration',
      { render: { interval: 'often' } },
      'render.interval',
      'Write milliseconds, e.g. 300000 for five minutes',
    ],
    ['a size as text', { page: { memoryBytes: '64 MB' } }, 'page.memoryBytes', 'Write bytes: 67108864'],
    ['a share as text', { render: { suppression: { massShare: '40%' } } }, 'render.suppression.massShare', 'Write 0.4'],
    ['a flag as text', { render: { acceptResults: 'no' } }, 'render.acceptResults', 'Write false, without quotes'],
    ['a part of a whole number', { render: { maxClaim: 1.6 } }, 'render.maxClaim', 'Write 2'],
    [
      'a value too small',
      { render: { interval: 1 } },
      'render.interval',
      'Use 60000 ms (1 minute) to 31536000000 ms (365 days); the default is 86400000 ms (1 day)',
    ],
    ['a value too large', { render: { sitemapBoost: 101 } }, 'render.sitemapBoost', 'Use 1 to 100; the default is 2'],
    ['a wrong choice', { ingress: { mode: 'forward' } }, 'ingress.mode', 'Did you mean forwarded?'],
    ['a header in capitals', { ingress: { hostHeader: 'X-Host' } }, 'ingress.hostHeader', "Write 'x-host'"],
    ['a URL for a host', { domains: ['https://shop.test/'] }, 'domains[0]', "Write 'shop.test'"],
    ['an empty list of devices', { render: { devices: [] } }, 'render.devices', 'At least 1'],
    [
      'no value',
      { render: { interval: null } },
      'render.interval',
      'Give it a value, or remove the line to get the default',
    ],
    ['a number in a list of texts', { render: { devices: [7] } }, 'render.devices[0]', 'Write it in quotes: "7"'],
    ['a bad entry of a map', { origin: { upstreams: { 'shop.test': 'shop' } } }, 'origin.upstreams["shop.test"]', ''],
    [
      'one route for a list',
      { ingress: { routes: { match: 'prefix' } } },
      'ingress.routes',
      'Put it in a list: [{ … }]',
    ],
  ])('%s', (_name, options, path, hint) => {
    const problem = only(options);
    expect(problem).toMatchObject({ path, hint, layer: 'config.yaml' });
    expect(problem?.text).toContain(`\`${path}\``);
    expect(problem?.text).toContain(hint);
  });

  it('with the value that is in force instead', () => {
    expect(only({ render: { interval: '5m' } })?.text).toBe(
      '`render.interval` in config.yaml ("5m") is a text where a whole number of ms is wanted. Write milliseconds: 300000. `render.interval` is 86400000 ms (1 day) (defaults).',
    );
  });

  it('all mistakes at once, each place once', () => {
    const { problems } = host({
      domains: ['a.test'],
      render: { interval: 'x', maxClaim: 0, devices: [1, 2] },
      paeg: 1,
    });
    expect(problems.map(({ path }) => path).sort()).toEqual([
      'paeg',
      'render.devices[0]',
      'render.devices[1]',
      'render.interval',
      'render.maxClaim',
    ]);
  });

  it('and neither secrets nor credentials in URLs are shown', () => {
    const { problems: first } = host({
      ingress: { skipToken: 'top secret' },
      origin: { bypassTokn: 'top-secret', upstreams: { a: 'http://user:top-secret@host/x' } },
      orign: { bypassToken: 'top-secret' },
      apiKey: { deep: { password: 'top-secret' } },
      nonsense: { password: 'top-secret' },
    });
    const problems = [...first];
    const odd = [{ ingress: { skipToken: 4711 } }, { origin: ['4711'] }, { ingress: '4711' }, { skipTokn: 4711 }];
    for (const options of odd) problems.push(...host({ domains: ['a.test'], ...options }).problems);
    expect(problems.length).toBeGreaterThanOrEqual(10);
    expect(JSON.stringify(problems)).not.toMatch(/top.secret|4711/);
  });
});

describe('routes', () => {
  const route = { match: 'prefix', path: '/a', mode: 'prerender' };

  it('get the defaults of what is not given; what is optional stays absent', () => {
    const { config } = host({ ingress: { routes: [{ match: 'prefix', path: '/a' }] } });
    expect(config.ingress.routes).toEqual([route]);
  });

  it.each([
    [{ match: 'regex', path: '(' }, 'ingress.routes[1].path'],
    [{ match: 'prefix', path: 'a' }, 'ingress.routes[1].path'],
    [{ ...route, entity: { name: 'product', pattern: '/p/.*' } }, 'ingress.routes[1].entity.pattern'],
    [{ ...route, soft404: [{ title: '(' }] }, 'ingress.routes[1].soft404[0].title'],
    [{ ...route, soft404: [{}] }, 'ingress.routes[1].soft404[0]'],
    [{ ...route, queryParam: [] }, 'ingress.routes[1].queryParam'],
    [{ path: '/x' }, 'ingress.routes[1].match'],
  ])('that cannot work are refused with their place: %j', (bad, path) => {
    const { config, problems } = host({ domains: ['a.test'], ingress: { routes: [route, bad] } });
    expect(problems.map((problem) => problem.path)).toEqual([path]);
    expect(config.ingress.routes).toEqual([]);
  });

  it.each([
    [{ match: 'exact', path: '/a/b', mode: 'passthrough' }, 'prefix'],
    [{ match: 'prefix', path: '/a', mode: 'passthrough' }, 'the same'],
  ])('that can never match are warned about: %j', (later) => {
    const { config, problems } = host({ domains: ['a.test'], ingress: { routes: [route, later] } });
    expect(problems).toMatchObject([{ severity: 'warning', path: 'ingress.routes[1]' }]);
    expect(config.ingress.routes).toHaveLength(2);
  });
});

describe('security options close when they are bad or misspelt', () => {
  const good: Record<string, unknown> = {
    domains: ['shop.test'],
    'origin.privateAddresses': ['127.0.0.1:80'],
    'origin.bypassToken': 'abc',
    'ingress.skipToken': 'abc',
  };
  const bad: Record<string, unknown> = {
    domains: ['https://shop.test'],
    'origin.privateAddresses': ['127.0.0.1'],
    'origin.bypassToken': 'a b',
    'ingress.skipToken': 'a b',
  };
  const closed: Record<string, unknown> = {
    domains: [],
    'origin.privateAddresses': [],
    'origin.bypassToken': '',
    'ingress.skipToken': '',
  };
  const overridden = (path: string, override: unknown) =>
    resolveConfig(
      [
        { name: 'config.yaml', options: nested(path, good[path]) },
        { name: 'overrides', options: override },
      ],
      validator,
    );

  it('each of them is known to this test', () => {
    expect(SECURITY.sort()).toEqual(Object.keys(good).sort());
  });

  it.each(SECURITY)('%s, although a layer below has a good value', (path) => {
    const { config, layerOf } = overridden(path, nested(path, bad[path]));
    expect(valueAt(config, path)).toEqual(closed[path]);
    expect(layerOf(path)).toBe('closed');
  });

  it.each(SECURITY)('%s misspelt', (path) => {
    const { config } = overridden(path, nested(path.slice(0, -1), good[path]));
    expect(valueAt(config, path)).toEqual(closed[path]);
  });

  it.each(SECURITY.filter((path) => path.includes('.')))('%s in a misspelt group', (path) => {
    const { config } = overridden(path, nested(path.replace('gi', 'ig').replace('gr', 'rg'), good[path]));
    expect(valueAt(config, path)).toEqual(closed[path]);
  });

  it.each(SECURITY.filter((path) => path.includes('.')))('%s in a group that is no object', (path) => {
    const { config } = overridden(path, { [path.split('.')[0] ?? '']: 'x' });
    expect(valueAt(config, path)).toEqual(closed[path]);
  });

  it.each(SECURITY)('%s when the root is no object', (path) => {
    const { config } = overridden(path, ['x']);
    expect(valueAt(config, path)).toEqual(closed[path]);
  });

  it.each(SECURITY.filter((path) => path.includes('.')))('%s misspelt and at the root', (path) => {
    const name = path.slice(path.indexOf('.') + 1);
    for (const key of [name, name.slice(0, -1), path, path.slice(0, -1)]) {
      const { config, problems } = overridden(path, { [key]: good[path] });
      expect(valueAt(config, path)).toEqual(closed[path]);
      expect(problems[0]?.hint).toContain(path);
    }
  });

  it('a misspelt one closes beside a well-spelt one', () => {
    expect(host({ domains: ['a.test'], domain: ['b.test'] }).config.domains).toEqual([]);
  });

  const never = [
    ['*.shop.test'],
    ['shop.test', '*.shop.test'],
    ['a.test/path'],
    ['a b'],
    [''],
    [7],
    'a.test',
    '*',
    true,
    null,
  ];
  it.each(never.map((domains) => ({ domains })))('%j is never open', ({ domains }) => {
    expect(host({ domains }).config.domains).toEqual([]);
  });

  it('a good value above a bad one is in force', () => {
    const { config } = resolveConfig(
      [
        { name: 'config.yaml', options: { domains: 'x' } },
        { name: 'overrides', options: { domains: ['shop.test'] } },
      ],
      validator,
    );
    expect(config.domains).toEqual(['shop.test']);
  });

  it('any bad value of any of them closes it (property)', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SECURITY), fc.jsonValue(), (path, value) => {
        const { config, problems } = overridden(path, nested(path, value));
        const isBad = problems.some(({ severity }) => severity === 'error');
        expect(valueAt(config, path)).toEqual(isBad ? closed[path] : value);
      }),
    );
  });
});

describe('warnings', () => {
  it.each([
    [{ domains: ['*'] }, 'domains'],
    [{ domains: ['a.test'], origin: { upstreams: { 'a.test': 'http://127.0.0.1:8080' } } }, 'origin.upstreams'],
    [{ domains: ['a.test'], render: { renderBudget: 120_000 } }, 'render.renderBudget'],
    [{ domains: ['a.test'], render: { devices: ['desktop', 'watch'] } }, 'render.devices'],
    [{ domains: ['a.test'], origin: { userAgents: { mobile: 'Phone/1.0' } } }, 'origin.userAgents'],
    [{ domains: ['a.test'], render: { backoff: { initial: 86_400_000 } } }, 'render.backoff.max'],
  ])('%j', (options, path) => {
    expect(host(options).problems).toMatchObject([{ severity: 'warning', path }]);
  });

  it('do not tell of a private upstream that is listed', () => {
    const origin = { upstreams: { 'a.test': 'http://127.0.0.1:8080' }, privateAddresses: ['127.0.0.1:8080'] };
    expect(host({ domains: ['a.test'], origin }).problems).toEqual([]);
  });
});

describe('whatever is given', () => {
  const paths = [...eachOption(OPTIONS)].map(([path]) => path);
  const arbitraryOptions = fc.oneof(
    fc.anything(),
    fc.jsonValue(),
    fc
      .array(fc.tuple(fc.constantFrom(...paths), fc.jsonValue()), { maxLength: 6 })
      .map((entries) => Object.assign({}, ...entries.map(([path, value]) => nested(path, value))) as unknown),
    fc.array(fc.record({ match: fc.constantFrom('regex', 'prefix', 'exact'), path: fc.string() })).map((routes) => ({
      ingress: { routes },
    })),
  );

  it('it never throws, and the result is complete and frozen (property)', () => {
    fc.assert(
      fc.property(arbitraryOptions, (options) => {
        const { config } = host(options);
        for (const path of paths) expect(valueAt(config, path)).toBeDefined();
        expectFrozen(config);
      }),
      { numRuns: 400 },
    );
  });

  it('keys of object prototypes are unknown options and reach no prototype', () => {
    const { problems, config } = host(JSON.parse('{"__proto__":{"x":1},"constructor":1,"domains":["a.test"]}'));
    expect(problems.map(({ path }) => path).sort()).toEqual(['__proto__', 'constructor']);
    expect(config.domains).toEqual(['a.test']);
    expect(({} as { x?: unknown }).x).toBeUndefined();
    expect(config.origin.upstreams['constructor']).toBeUndefined();
  });

  it('a list that refers to itself is shown and refused', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    expect(only({ domains: circle, render: {} })?.path).toBe('domains[0]');
  });

  it('what is given is neither frozen nor shared', () => {
    const options = { domains: ['a.test'], ingress: { routes: [{ match: 'prefix', path: '/', mode: 'prerender' }] } };
    const { config } = host(options);
    options.domains.push('b.test');
    expect(config.domains).toEqual(['a.test']);
    expect(Object.isFrozen(options.ingress.routes[0])).toBe(false);
  });
});

function expectFrozen(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  expect(Object.isFrozen(value)).toBe(true);
  Object.values(value).forEach(expectFrozen);
}
