import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/worker/log.ts';

const written = (format: string, least: string, act: (log: ReturnType<typeof createLog>) => void): string[] => {
  const lines: string[] = [];
  act(
    createLog(
      format,
      least,
      (line) => lines.push(line),
      () => 0,
    ),
  );
  return lines;
};

describe('the log', () => {
  it('writes one line per event, as text or JSON, and nothing below its level', () => {
    const act = (log: ReturnType<typeof createLog>): void => {
      log('debug', 'hidden');
      log('warn', 'two\nlines', { url: 'a\nb', n: 1, gone: undefined });
    };
    expect(written('text', 'info', act)).toEqual(['1970-01-01T00:00:00.000Z warn two lines url="a\\nb" n=1\n']);
    const [json] = written('json', 'info', act);
    expect(JSON.parse(json ?? '')).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      level: 'warn',
      message: 'two\nlines',
      url: 'a\nb',
      n: 1,
    });
    expect(json?.trim()).not.toContain('\n');
  });
});
