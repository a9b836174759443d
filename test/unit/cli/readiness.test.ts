import { describe, expect, it } from 'vitest';
import { isUp, noHostAdvice, noHostReason } from '../../../src/cli/readiness.ts';

const reason = 'no host is served: `domains` is empty';
const noHost = { status: 503, text: JSON.stringify({ status: 'unavailable', reason }) };

describe('a node', () => {
  it('that serves is up', () => {
    const answer = { status: 200, text: '{"status":"ok"}' };
    expect(isUp(answer)).toBe(true);
    expect(noHostReason(answer)).toBeUndefined();
  });

  it('that serves no host is up, with its reason', () => {
    expect(isUp(noHost)).toBe(true);
    expect(noHostReason(noHost)).toBe(reason);
  });

  it.each([
    [503, '{"status":"unavailable","reason":"it starts"}'],
    [503, '{"status":"unavailable"}'],
    [503, 'null'],
    [503, '`domains`'],
    [500, noHost.text],
    [404, ''],
  ])('that answers %d %s is not up', (status, text) => {
    expect(isUp({ status, text })).toBe(false);
  });
});

describe('the advice for a node that serves no host', () => {
  it('is to add hosts to the file of --config', () => {
    expect(noHostAdvice(reason, 'host.yaml')).toBe(
      'Harper runs, but no host is served: `domains` is empty. Add your hosts to host.yaml, `domains: [www.example.com]` under `harper-prerender:`; it is read again when it changes.',
    );
  });

  it('without such a file is to give one', () => {
    expect(noHostAdvice(reason, undefined)).toMatch(/Start with --config FILE .* or without --no-shop/);
  });
});
