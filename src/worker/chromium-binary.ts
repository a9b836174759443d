import { execFile } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PrerenderError, describeError } from '../errors.ts';
import { chromiumEnvironment } from './chromium-environment.ts';

const run = promisify(execFile);

/** A browser to start, and what its environment needs. */
export interface ChromiumBinary {
  path: string;
  /** Variables to add to the environment. */
  env: Record<string, string>;
  /** Major version, e.g. `147`. */
  major: string;
}

/** Unpacks in a process of its own: the package unpacks to os.tmpdir(), and not at once for all who ask. */
const UNPACK =
  'const m = require(process.argv[1]); (m.default ?? m).executablePath().catch((e) => { console.error(e); process.exit(1); })';

/**
 * The browser at `path`, or the one that the package `@sparticuz/chromium` carries, unpacked once per version and user
 * into the temporary directory. Several workers may start at once: each unpacks aside, and a rename settles it.
 * Libraries that the machine lacks (NSS) come from the package too. Throws CONFIG_INVALID when no browser can be run.
 */
export async function findChromium(path: string): Promise<ChromiumBinary> {
  if (path !== '') return probe(path, {}, null);
  const folder = await unpackedFolder();
  const fonts: Record<string, string> = existsSync('/etc/fonts/fonts.conf')
    ? {}
    : { FONTCONFIG_PATH: join(folder, 'fonts') };
  return probe(join(folder, 'chromium'), fonts, join(folder, 'al2023', 'lib'));
}

async function probe(path: string, env: Record<string, string>, libraries: string | null): Promise<ChromiumBinary> {
  try {
    const { stdout } = await run(path, ['--version'], { env: chromiumEnvironment(process.env, env), timeout: 20_000 });
    const major = /(\d+)\.\d+/.exec(stdout)?.[1];
    if (!major) throw new Error(`${path} --version said ${JSON.stringify(stdout.slice(0, 100))}`);
    return { path, env, major };
  } catch (error) {
    const missing = /error while loading shared libraries: (\S+?):/.exec(describeError(error))?.[1];
    if (missing && libraries !== null) {
      const rest = process.env.LD_LIBRARY_PATH;
      return probe(path, { ...env, LD_LIBRARY_PATH: rest ? `${libraries}:${rest}` : libraries }, null);
    }
    const reason = missing
      ? `the browser ${path} lacks the library ${missing}; install it, or name another browser in chromiumPath or CHROME_PATH`
      : `the browser ${path} cannot be run: ${describeError(error)}`;
    throw new PrerenderError('CONFIG_INVALID', { reason }, { cause: error });
  }
}

async function unpackedFolder(): Promise<string> {
  const require = createRequire(import.meta.url);
  const entry = require.resolve('@sparticuz/chromium');
  const owner = process.getuid?.() ?? 0;
  const folder = join(tmpdir(), `harper-prerender-chromium-${packageVersion(entry)}-${owner}`);
  if (isOurs(folder, owner)) return folder;
  const aside = mkdtempSync(`${folder}-`);
  try {
    // The variable makes the package unpack its libraries too.
    const env = chromiumEnvironment(process.env, { TMPDIR: aside, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' });
    await run(process.execPath, ['-e', UNPACK, entry], { env, timeout: 120_000 });
    renameSync(aside, folder);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    if (!isOurs(folder, owner))
      throw new PrerenderError(
        'CONFIG_INVALID',
        { reason: `the Chromium of @sparticuz/chromium cannot be unpacked to ${folder}: ${describeError(error)}` },
        { cause: error },
      );
  }
  return folder;
}

/** A folder in a shared temporary directory is only used when nobody else could have put a binary there. */
function isOurs(folder: string, owner: number): boolean {
  if (!existsSync(folder)) return false;
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || stat.uid !== owner || (stat.mode & 0o022) !== 0)
    throw new PrerenderError('CONFIG_INVALID', {
      reason: `${folder} is not a folder that only this user can write; remove it, or set chromiumPath`,
    });
  return existsSync(join(folder, 'chromium'));
}

function packageVersion(entry: string): string {
  const marker = join('@sparticuz', 'chromium');
  const root = entry.slice(0, entry.lastIndexOf(marker) + marker.length);
  const parsed: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return typeof parsed === 'object' && parsed !== null && 'version' in parsed ? String(parsed.version) : 'unknown';
}
