import { ERRORS, type ErrorDescriptor } from '../src/errors.ts';
import { METRICS, type MetricDescriptor } from '../src/metrics/catalog.ts';

/** One section a metric: what it is, its slots, kind and unit, and what to watch. */
export function metricSections(): string {
  return Object.values<MetricDescriptor>(METRICS).map(metricSection).join('\n\n');
}

function metricSection({ name, kind, unit, slots, description, watch }: MetricDescriptor): string {
  const columns = ['path', 'method', 'type'];
  const where = slots.map((slot, at) => `${slot} (\`${columns[at]}\`)`).join(', ');
  return [
    `### ${name}`,
    '',
    description,
    '',
    `- Kind: ${kind}; unit: ${unit}`,
    `- Slots: ${where === '' ? 'none' : where}`,
    `- Watch: ${watch}`,
  ].join('\n');
}

const RETRY_WORDS = {
  never: 'no: the same request fails again',
  later: 'yes, later',
  stop: 'no: stop and tell the operator',
} as const;

/** The table of error codes with what the caller is told. */
export function errorTable(): string {
  const rows = Object.entries<ErrorDescriptor>(ERRORS).map(
    ([code, { status, retry, message }]) =>
      `| \`${code}\` | ${status} | ${RETRY_WORDS[retry]} | ${message.replaceAll('|', '\\|').replace(/\{(\w+)\}/g, '‹$1›')} |`,
  );
  return ['| code | status | try again? | message |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/**
 * Puts generated text between `<!-- generated: name -->` and `<!-- end: name -->` of a page.
 * @throws Error when the page lacks the markers.
 */
export function replaceGenerated(page: string, name: string, text: string): string {
  const [open, close] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
  const [from, to] = [page.indexOf(open), page.indexOf(close)];
  if (from < 0 || to < from) throw new Error(`The page lacks "${open}" and "${close}"`);
  return `${page.slice(0, from + open.length)}\n\n${text}\n\n${page.slice(to)}`;
}
