import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { startHarperInstance, type HarperInstance } from '../../../src/cli/harper-instance.ts';
import { packageRoot } from '../../../src/cli/host-app.ts';

/** An instance with the bench's app. */
export interface BenchHost {
  readonly instance: HarperInstance;
  stop(): Promise<void>;
}

const SOURCES = ['src', 'test/unit/fakes', 'test/bench/queue-drain'];

/** Boots a real Harper with two worker threads, whose app is the queue as it stands in the sources. */
export async function bootBenchHost(threads = 2): Promise<BenchHost> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'queue-bench-')));
  const remove = (): void => rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  process.once('exit', remove);
  const appDir = join(dir, 'app');
  writeApp(appDir);
  const instance = await startHarperInstance({
    appDir,
    dataDir: join(dir, 'data'),
    threads,
    readyPath: '/bench/thread',
  });
  return {
    instance,
    stop: async () => {
      await instance.stop();
      process.off('exit', remove);
      remove();
    },
  };
}

function writeApp(appDir: string): void {
  const root = packageRoot();
  mkdirSync(appDir, { recursive: true });
  for (const folder of SOURCES) transpile(root, folder, join(appDir, 'code'));
  symlinkSync(join(root, 'node_modules'), join(appDir, 'node_modules'));
  cpSync(join(root, 'schema.graphql'), join(appDir, 'schema.graphql'));
  writeFileSync(join(appDir, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(appDir, 'config.yaml'),
    'rest: true\ngraphqlSchema:\n  files: schema.graphql\njsResource:\n  files: resources.js\n',
  );
  writeFileSync(join(appDir, 'resources.js'), "import './code/test/bench/queue-drain/app.js';\n");
}

/** Types are stripped without a check, which is the compiler's own command. */
function transpile(root: string, folder: string, outDir: string): void {
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const file = join(entry.parentPath, entry.name);
    const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
      fileName: file,
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
    });
    const target = join(outDir, file.slice(root.length + 1).replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, outputText);
  }
}
