import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CliError } from '../../../src/cli/cli-error.ts';
import {
  documentText,
  emptyDocument,
  optionsOf,
  readDocument,
  withShop,
  workerRouting,
} from '../../../src/cli/demo-config.ts';

const SHOP = 'http://127.0.0.1:4000';

describe('options with the sample shop', () => {
  it('serve it from its address, and render its pages soon', () => {
    expect(withShop({}, SHOP)).toMatchObject({
      domains: ['shop.example'],
      origin: { upstreams: { 'shop.example': SHOP }, privateAddresses: ['127.0.0.1:4000'] },
      render: { firstRenderWithin: 2_000 },
    });
  });

  it('keep what the operator has set', () => {
    const own = {
      domains: ['own.example'],
      origin: { upstreams: { 'own.example': 'http://10.0.0.5' }, privateAddresses: ['10.0.0.5:80'], connections: 7 },
      ingress: { mode: 'forwarded', routes: [{ match: 'exact', path: '/', mode: 'prerender' }] },
      render: { firstRenderWithin: 60_000 },
      page: { swrTtl: 1 },
    };
    const merged = withShop(own, SHOP);
    expect(merged).toMatchObject({
      domains: ['own.example', 'shop.example'],
      origin: {
        upstreams: { 'own.example': 'http://10.0.0.5', 'shop.example': SHOP },
        privateAddresses: ['10.0.0.5:80', '127.0.0.1:4000'],
        connections: 7,
      },
      render: { firstRenderWithin: 60_000 },
      page: { swrTtl: 1 },
    });
    const { mode, routes } = merged.ingress as { mode: string; routes: unknown[] };
    expect(mode).toBe('forwarded');
    expect(routes[0]).toEqual({ match: 'exact', path: '/', mode: 'prerender' });
    expect(routes).toHaveLength(3);
  });
});

describe("the app's config.yaml", () => {
  it('mounts this package, whatever package the operator names', () => {
    const text = documentText(
      { 'harper-prerender': { package: 'elsewhere', domains: ['a'] }, other: { files: 'x' } },
      undefined,
    );
    expect(parse(text)).toEqual({
      'harper-prerender': { files: '/', domains: ['a'], package: 'harper-prerender' },
      other: { files: 'x' },
    });
  });

  it('is a closed proxy without a shop and a config of its own', () => {
    expect(optionsOf(parse(documentText(emptyDocument(), undefined)) as Record<string, unknown>)).toEqual({
      files: '/',
      package: 'harper-prerender',
    });
  });
});

describe('the routing of the worker', () => {
  it('follows upstreams and private addresses', () => {
    const routing = workerRouting(withShop({ origin: { upstreams: { 'a.example': 'https://10.0.0.1/' } } }, SHOP));
    expect(routing).toEqual({
      map: ['a.example=https://10.0.0.1', `shop.example=${SHOP}`],
      privateAddresses: ['127.0.0.1:4000'],
    });
  });

  it('is empty for options that name nothing', () => {
    expect(workerRouting({})).toEqual({ map: [], privateAddresses: [] });
  });
});

describe('a host config.yaml', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'config-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const read = (text: string): unknown => {
    writeFileSync(join(dir, 'config.yaml'), text);
    return readDocument(join(dir, 'config.yaml'));
  };

  it('is read with everything it holds', () => {
    expect(read('harper-prerender:\n  domains: [a]\nrest: true\n')).toEqual({
      'harper-prerender': { domains: ['a'] },
      rest: true,
    });
  });

  it.each([
    ['broken: [', /cannot be read: /],
    ['rest: true\n', /mounts nothing: .* under "harper-prerender:"/],
    ['harper-prerender:\n', /mounts nothing/],
    ['- a\n', /mounts nothing/],
    ['', /mounts nothing/],
  ])('that reads %j is refused in one line', (text, message) => {
    expect(() => read(text)).toThrow(message);
    try {
      read(text);
    } catch (error) {
      expect(error).toBeInstanceOf(CliError);
      expect((error as CliError).exitCode).toBe(2);
      expect((error as CliError).message).not.toContain('\n');
    }
  });

  it('that is missing is named', () => {
    expect(() => readDocument(join(dir, 'absent.yaml'))).toThrow(/absent\.yaml cannot be read: ENOENT/);
  });
});
