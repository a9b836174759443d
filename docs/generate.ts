/** `npm run docs` writes the generated pages; with `--check` it writes nothing and fails when one is out of date. */
import { writeFileSync } from 'node:fs';
import { generatedPages, pagePath } from './pages.ts';

const check = process.argv.includes('--check');
const stale = (await generatedPages()).filter(({ actual, expected }) => actual !== expected);
for (const { path, expected } of stale) {
  if (!check) writeFileSync(pagePath(path), expected);
  console.log(check ? `${path} is out of date: run npm run docs` : `${path} written`);
}
if (check && stale.length > 0) process.exitCode = 1;
