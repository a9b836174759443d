import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PLUGIN = `
export function handleApplication(scope) {
  serve(() => scope.options.getAll());
}
export function serve(options) {
  const answer = (body) => ({ status: 200, headers: {}, body });
  server.http((request, next) => {
    switch (request.pathname) {
      case '/ready': return answer('ready');
      case '/options': return answer(JSON.stringify(options()));
      case '/throw': setTimeout(() => { throw new Error('thrown later'); }, 1); return answer('soon');
      case '/reject': Promise.reject('no error object'); return answer('soon');
      case '/log-error': logger.error('something went wrong'); return answer('logged');
      default: return next(request);
    }
  }, { runFirst: true });
}
`;

/** Run directly as an app, the resources are all that Harper loads. */
const RESOURCES = `
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from './plugin.js';
const root = dirname(dirname(fileURLToPath(import.meta.url)));
if (process.env.RUN_HDB_APP === root) serve(() => ({ text: readFileSync(root + '/config.yaml', 'utf8') }));
`;

/** Writes a component that shows its options and misbehaves on demand: the harness is tested with it. */
export function writeToyComponent(dir: string): string {
  mkdirSync(join(dir, 'dist'), { recursive: true });
  mkdirSync(join(dir, 'node_modules'), { recursive: true });
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'toy', version: '1.0.0', type: 'module' }));
  const config = 'rest: true\njsResource:\n  files: dist/resources.js\npluginModule: dist/plugin.js\n';
  writeFileSync(join(dir, 'config.yaml'), config);
  writeFileSync(join(dir, 'dist', 'plugin.js'), PLUGIN);
  writeFileSync(join(dir, 'dist', 'resources.js'), RESOURCES);
  return dir;
}
