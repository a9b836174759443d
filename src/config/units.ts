const MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  sec: 1_000,
  second: 1_000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  w: 604_800_000,
  week: 604_800_000,
};
const BYTES: Readonly<Record<string, number>> = {
  b: 1,
  byte: 1,
  k: 1_024,
  kb: 1_024,
  kib: 1_024,
  m: 1_048_576,
  mb: 1_048_576,
  mib: 1_048_576,
  g: 1_073_741_824,
  gb: 1_073_741_824,
  gib: 1_073_741_824,
};

/** The ms of a duration written as text (`5m`, `1h 30m`, `2 days`), or `undefined` when it is none. */
export function parseDuration(text: string): number | undefined {
  return parseQuantity(text, MS);
}

/** The bytes of a size written as text (`64MB`, `1.5 GiB`; all powers of 1024), or `undefined` when it is none. */
export function parseBytes(text: string): number | undefined {
  return parseQuantity(text, BYTES);
}

function parseQuantity(text: string, units: Readonly<Record<string, number>>): number | undefined {
  if (text.length > 40) return undefined;
  let sum = 0;
  let rest = text.trim().toLowerCase();
  if (rest === '') return undefined;
  while (rest !== '') {
    const part = /^(\d+(?:\.\d+)?)\s*([a-z]+)[\s,]*/.exec(rest);
    const name = part?.[2] ?? '';
    const singular = name.length > 2 && name.endsWith('s') ? name.slice(0, -1) : name;
    const unit = Object.hasOwn(units, name)
      ? units[name]
      : Object.hasOwn(units, singular)
        ? units[singular]
        : undefined;
    if (!part || unit === undefined) return undefined;
    sum += Number(part[1]) * unit;
    rest = rest.slice(part[0].length);
  }
  return Number.isSafeInteger(Math.round(sum)) ? Math.round(sum) : undefined;
}

const DURATION_STEPS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const;
const BYTE_STEPS = [
  [1_073_741_824, 'GiB'],
  [1_048_576, 'MiB'],
  [1_024, 'KiB'],
] as const;

/** A duration in words when a whole number of a unit says it: `1 day`, `90 seconds`; otherwise `undefined`. */
export function humanDuration(ms: number): string | undefined {
  if (!(ms > 0)) return undefined;
  for (const [size, name] of DURATION_STEPS) {
    if (ms % size === 0) return `${ms / size} ${name}${ms === size ? '' : 's'}`;
  }
  return undefined;
}

/** A size in words when a whole number of a unit says it: `64 MiB`; otherwise `undefined`. */
export function humanBytes(bytes: number): string | undefined {
  if (!(bytes > 0)) return undefined;
  for (const [size, name] of BYTE_STEPS) {
    if (bytes % size === 0) return `${bytes / size} ${name}`;
  }
  return undefined;
}
