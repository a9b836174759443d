import type { OptionDescriptor } from './descriptor.ts';
import type { Wanted } from './locate.ts';
import { humanBytes, humanDuration, parseBytes, parseDuration } from './units.ts';

const UNIT_WORDS = { ms: ' of ms', bytes: ' of bytes', count: '', share: ' between 0 and 1', factor: '' } as const;

/** The kind of value that is wanted, in words: `a whole number of ms`. */
export function wantedWords(wanted: Wanted): string {
  if (wanted.kind === 'group' || wanted.kind === 'object') return 'an object (keys and values)';
  if (wanted.kind === 'item') return 'a text';
  const { option } = wanted;
  switch (option.kind) {
    case 'number':
      return `${option.integer ? 'a whole number' : 'a number'}${UNIT_WORDS[option.unit]}`;
    case 'flag':
      return 'true or false';
    case 'text':
      return 'a text';
    case 'choice':
      return `one of ${option.choices.join(', ')}`;
    case 'text-list':
      return 'a list of texts';
    case 'text-map':
      return 'texts by name';
    case 'object-list':
      return 'a list of objects';
    case 'object':
      return 'an object (keys and values)';
  }
}

/** What a value is, in words. */
export function kindOfValue(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return 'a text';
  if (typeof value === 'boolean') return 'true or false';
  return typeof value === 'number' ? 'a number' : `a ${typeof value}`;
}

/** What to write instead of a value of the wrong type; empty when nothing better than the wanted kind can be said. */
export function typeHint(wanted: Wanted, value: unknown): string {
  if (value === null) return 'Give it a value, or remove the line to get the default';
  if (wanted.kind === 'item') {
    return typeof value === 'number' || typeof value === 'boolean' ? `Write it in quotes: "${value}"` : '';
  }
  if (wanted.kind !== 'option') return '';
  const { option } = wanted;
  if (option.kind === 'number' && typeof value === 'string') return numberHint(option, value);
  if (option.kind === 'number' && typeof value === 'number') {
    return Number.isFinite(value) ? `Write ${Math.round(value)}` : '';
  }
  if (option.kind === 'flag') return flagHint(value);
  if (option.kind === 'text-list' && typeof value === 'string') return `Write a list: ${listHint(value)}`;
  if (option.kind === 'object-list' && kindOfValue(value) === 'an object') return 'Put it in a list: [{ … }]';
  if ((option.kind === 'text' || option.kind === 'choice') && typeof value === 'number') {
    return `Write it in quotes: "${value}"`;
  }
  return '';
}

function numberHint(option: OptionDescriptor & { kind: 'number' }, text: string): string {
  const plain = text.trim().replace(/(?<=\d)[_,](?=\d{3})/g, '');
  if (/^[+-]?\d+(\.\d+)?$/.test(plain)) return `Write the number without quotes: ${Number(plain)}`;
  if (option.unit === 'ms') {
    const ms = parseDuration(text);
    return ms === undefined ? 'Write milliseconds, e.g. 300000 for five minutes' : `Write milliseconds: ${ms}`;
  }
  if (option.unit === 'bytes') {
    const bytes = parseBytes(text);
    return bytes === undefined ? 'Write bytes, e.g. 1048576 for one MiB' : `Write bytes: ${bytes}`;
  }
  const percent = /^(\d+(?:\.\d+)?)\s*%$/.exec(plain);
  return percent && option.unit === 'share' ? `Write ${Number(percent[1]) / 100}` : '';
}

function flagHint(value: unknown): string {
  const written = (typeof value === 'string' || typeof value === 'number' ? String(value) : '').toLowerCase();
  if (['true', 'yes', 'on', '1'].includes(written)) return 'Write true, without quotes';
  return ['false', 'no', 'off', '0'].includes(written) ? 'Write false, without quotes' : '';
}

function listHint(text: string): string {
  const items = text.split(',').map((item) => item.trim());
  return `[${items
    .slice(0, 10)
    .map((item) => `'${item.slice(0, 60)}'`)
    .join(', ')}]`;
}

/** Another spelling of a text that a pattern accepts: trimmed, in lower case, or only the host of a URL. */
export function acceptedSpelling(text: string, pattern: string): string | undefined {
  if (text.length > 2_000) return undefined;
  const expression = new RegExp(pattern, 'u');
  const trimmed = text.trim();
  const candidates = [trimmed, trimmed.toLowerCase(), URL.canParse(trimmed) ? new URL(trimmed).host : ''];
  return candidates.find((candidate) => candidate !== '' && candidate !== text && expression.test(candidate));
}

/** A number with its unit, and in words where that helps: `86400000 ms (1 day)`. */
export function showNumber(option: OptionDescriptor & { kind: 'number' }, value: number): string {
  const words = option.unit === 'ms' ? humanDuration(value) : option.unit === 'bytes' ? humanBytes(value) : undefined;
  const unit = option.unit === 'ms' ? ' ms' : option.unit === 'bytes' ? ' bytes' : '';
  return `${value}${unit}${words === undefined ? '' : ` (${words})`}`;
}
