/** How far two texts are apart in single edits: insert, delete, replace, swap of neighbours (optimal alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      let best = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + cost);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) best = Math.min(best, at(beforeLast, column - 2) + 1);
      current.push(best);
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}

const LONGEST_COMPARED = 64;

/**
 * The known keys that somebody who wrote `key` may have meant, the likeliest first: spelt almost alike (case, hyphens and
 * underscores aside), or one name inside the other (`allowedDomains` for `domains`).
 */
export function nearKeys(key: string, known: readonly string[]): string[] {
  const written = plain(key);
  if (written === '' || written.length > LONGEST_COMPARED) return [];
  const scored: { name: string; score: number }[] = [];
  for (const name of known) {
    const wanted = plain(name);
    const allowed = wanted.length < 5 ? 1 : wanted.length < 10 ? 2 : 3;
    const distance = editDistance(written, wanted);
    if (distance <= allowed && distance < wanted.length) scored.push({ name, score: distance });
    else if (contains(written, wanted)) scored.push({ name, score: allowed + 1 });
  }
  return scored.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1)).map(({ name }) => name);
}

function plain(key: string): string {
  return key.toLowerCase().replace(/[-_\s]/g, '');
}

function contains(a: string, b: string): boolean {
  return (b.length >= 5 && a.includes(b)) || (a.length >= 5 && b.includes(a));
}
