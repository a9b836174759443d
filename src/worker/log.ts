const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** How grave a line is. */
export type LogLevel = (typeof LEVELS)[number];

/** What a line tells besides its message; values are printed as JSON. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Writes one line. */
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

/**
 * A log of one line per event, as text or JSON. `write` gets the line with its newline; `least` is the least level written.
 */
export function createLog(
  format: string,
  least: string,
  write: (line: string) => void,
  now: () => number = Date.now,
): Log {
  const threshold = Math.max(
    0,
    LEVELS.findIndex((level) => level === least),
  );
  return (level, message, fields = {}) => {
    if (LEVELS.indexOf(level) < threshold) return;
    const time = new Date(now()).toISOString();
    write(
      format === 'json'
        ? `${JSON.stringify({ time, level, message, ...fields })}\n`
        : textLine(time, level, message, fields),
    );
  };
}

function textLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  return `${time} ${level} ${message.replace(/[\r\n]+/g, ' ')}${pairs.join('')}\n`;
}
