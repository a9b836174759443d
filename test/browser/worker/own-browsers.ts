import { readFileSync, readdirSync } from 'node:fs';

/** Process groups of the browsers that this very process has started and that still run. */
export function chromiumGroups(parent = process.pid): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const fields = stat(pid);
      const isBrowser = fields[0] !== 'Z' && Number(fields[1]) === parent && Number(fields[2]) === Number(pid);
      return isBrowser ? [Number(pid)] : [];
    });
}

function stat(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return ['Z'];
  }
}
