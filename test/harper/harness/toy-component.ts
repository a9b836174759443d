import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PLUGIN = `
export function handleApplication(scope) {
  const answer = (body) => ({ status: 200, headers: {}, body });
  server.http((request, next) => {
    switch (request.pathname) {
      case '/ready': return answer('ready');
      case '/options': return answer(JSON.stringify(scope.options.getAll()));
      case '/throw': setTimeout(() => { throw new Error('thrown later'); }, 1); return answer('soon');
      case '/reject': Promise.reject('no error object'); return answer('soon');
      case '/log-error': logger.error('something went wrong'); return answer('logged');
      default: return next(request);
    }
  }, { runFirst: true });
}
`;

/** Writes a component that shows its options and misbehaves on demand: the harness is tested with it. */
export function writeToyComponent(dir: string): string {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'toy', version: '1.0.0', type: 'module' }));
  writeFileSync(join(dir, 'config.yaml'), 'rest: true\npluginModule: plugin.js\n');
  writeFileSync(join(dir, 'plugin.js'), PLUGIN);
  return dir;
}
