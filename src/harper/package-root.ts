import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Directory of this package: src/harper and dist/harper are equally deep in it. */
export function packageRoot(): string {
  return dirname(dirname(dirname(fileURLToPath(import.meta.url))));
}
