import { describe, expect, it } from 'vitest';
import { humanBytes, humanDuration, parseBytes, parseDuration } from '../../../src/config/units.ts';

describe('parseDuration', () => {
  it.each([
    ['5m', 300_000],
    ['90s', 90_000],
    ['1h30m', 5_400_000],
    ['1 h, 30 min', 5_400_000],
    ['2 Days', 172_800_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['1w', 604_800_000],
  ])('%s', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each(['', '5', 'm', '5 apples', '5mm', '-5m', '5m!', 'constructor', '1constructor', '9'.repeat(30) + 'w'])(
    'answers nothing for %j',
    (text) => expect(parseDuration(text)).toBeUndefined(),
  );
});

describe('parseBytes', () => {
  it.each([
    ['64MB', 67_108_864],
    ['10 MiB', 10_485_760],
    ['1k', 1_024],
    ['512 bytes', 512],
  ])('%s', (text, bytes) => expect(parseBytes(text)).toBe(bytes));
});

describe('words', () => {
  it.each([
    [86_400_000, '1 day'],
    [90_000, '90 seconds'],
    [7_200_000, '2 hours'],
    [500, undefined],
    [0, undefined],
  ])('%d ms', (ms, words) => expect(humanDuration(ms)).toBe(words));

  it.each([
    [65_536, '64 KiB'],
    [1_073_741_824, '1 GiB'],
    [1_000, undefined],
  ])('%d bytes', (bytes, words) => expect(humanBytes(bytes)).toBe(words));
});
