import { describe, expect, it } from 'vitest';
import { createReporter } from '../../../src/cli/report.ts';
import type { StartedParts } from '../../../src/cli/report.ts';
import type { HarperInstance } from '../../../src/cli/harper-instance.ts';

const node = {
  httpUrl: 'http://127.0.0.1:9926',
  operationsUrl: 'http://127.0.0.1:9925',
  mqttUrl: 'mqtt://127.0.0.1:1883',
  pid: 42,
  dataDir: '/data/node-1',
} as HarperInstance;

const parts: StartedParts = {
  dataDir: '/data',
  nodes: [node],
  credentials: { user: 'admin', password: 'secret', worker: { user: 'w', password: 'also secret' } },
  shop: undefined,
  worker: undefined,
};

function written(json: boolean): string[] {
  const texts: string[] = [];
  const reporter = createReporter(json, (text) => texts.push(text));
  reporter.progress('Starting');
  reporter.warn('Port 1 is in use');
  reporter.started(parts);
  reporter.say('Serving');
  return texts.join('').split('\n');
}

describe('the output of the start command', () => {
  it('with --json has every address, user and password on its first line, and nothing before it', () => {
    const [first = '', ...rest] = written(true);
    expect(JSON.parse(first)).toEqual({
      url: 'http://127.0.0.1:9926',
      operations: 'http://127.0.0.1:9925',
      mqtt: 'mqtt://127.0.0.1:1883',
      health: 'http://127.0.0.1:9926/prerender_health',
      admin: 'http://127.0.0.1:9926/prerender_admin/queue',
      pid: 42,
      user: 'admin',
      password: 'secret',
      data: '/data',
      nodes: [
        {
          url: 'http://127.0.0.1:9926',
          operations: 'http://127.0.0.1:9925',
          mqtt: 'mqtt://127.0.0.1:1883',
          pid: 42,
          data: '/data/node-1',
        },
      ],
      worker: { user: 'w', password: 'also secret', pid: null },
      shop: null,
    });
    expect(rest).toEqual(['Warning: Port 1 is in use', 'Serving', '']);
  });

  it('without it is for people, in order', () => {
    const lines = written(false);
    expect(lines.slice(0, 2)).toEqual(['Starting', 'Warning: Port 1 is in use']);
    expect(lines.join('\n')).toMatch(
      /Harper +http:\/\/127\.0\.0\.1:9926\n[^]*Health check +http:\/\/127\.0\.0\.1:9926\/prerender_health\n +Admin API +http:\/\/127\.0\.0\.1:9926\/prerender_admin\/queue \(super user\)\n +Super user +admin, password secret\n[^]*Serving/,
    );
  });
});
