import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isDirectDeployment } from '../../../src/config/deployment.ts';

const root = mkdtempSync(join(tmpdir(), 'deployment-'));
const app = join(root, 'components', 'harper-prerender');
const inHost = join(root, 'components', 'shop', 'node_modules', 'harper-prerender');
mkdirSync(app, { recursive: true });
mkdirSync(inHost, { recursive: true });
symlinkSync(app, join(root, 'link'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('isDirectDeployment', () => {
  it.each([
    ['the folder that Harper runs', app, { RUN_HDB_APP: app }, true],
    ['the same by a link', join(root, 'link'), { RUN_HDB_APP: app }, true],
    ['the same, the run folder a link', app, { RUN_HDB_APP: join(root, 'link') }, true],
    ['a package of the host that Harper runs', inHost, { RUN_HDB_APP: join(root, 'components', 'shop') }, false],
    ['deployed to the components root', app, { ROOTPATH: root }, true],
    ['a package of a deployed host', inHost, { ROOTPATH: root }, false],
    ['nothing known', app, {}, false],
    ['an empty variable', app, { RUN_HDB_APP: '' }, false],
  ])('%s', (_name, packageRoot, env, expected) => expect(isDirectDeployment(packageRoot, env)).toBe(expected));

  it('goes by a components root that is configured', () => {
    expect(isDirectDeployment(app, { ROOTPATH: '/elsewhere' }, join(root, 'components'))).toBe(true);
  });
});
