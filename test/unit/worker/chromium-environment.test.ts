import { describe, expect, it } from 'vitest';
import { chromiumEnvironment } from '../../../src/worker/chromium-environment.ts';

describe('the environment of the browser', () => {
  it('holds none of the worker’s own variables: one is a password', () => {
    const own = {
      PATH: '/bin',
      LD_LIBRARY_PATH: '/a',
      HARPER_PRERENDER_WORKER_PASSWORD: 'secret',
      HARPER_PRERENDER_WORKER_PASSWORD_FILE: '/secret',
      HARPER_PRERENDER_WORKER_USER: 'u',
      HARPER_OTHER: 'kept',
    };
    expect(chromiumEnvironment(own, { LD_LIBRARY_PATH: '/b', FONTCONFIG_PATH: '/f' })).toEqual({
      PATH: '/bin',
      LD_LIBRARY_PATH: '/b',
      HARPER_OTHER: 'kept',
      FONTCONFIG_PATH: '/f',
    });
  });
});
