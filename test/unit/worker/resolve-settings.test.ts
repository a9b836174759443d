import { describe, expect, it } from 'vitest';
import { PrerenderError } from '../../../src/errors.ts';
import { helpText } from '../../../src/worker/help.ts';
import { flagName, nearest, optionNames, variableName } from '../../../src/worker/option-names.ts';
import { resolveSettings } from '../../../src/worker/resolve-settings.ts';
import { defaultSettings } from '../../../src/worker/settings.ts';

const resolve = (argv: string[] = [], env: Record<string, string> = {}, files: Record<string, string> = {}) =>
  resolveSettings(argv, env, (path) => {
    const text = files[path];
    if (text === undefined) throw new Error('no such file');
    return text;
  }).settings;

const reason = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof PrerenderError && error.code === 'CONFIG_INVALID') return error.message;
    throw error;
  }
  throw new Error('nothing was wrong');
};

describe('where settings come from', () => {
  it('without anything they are the defaults', () => {
    expect(resolve()).toEqual(defaultSettings());
  });

  it('flags beat the environment, which beats the file', () => {
    const files = { 'w.yaml': 'concurrency: 3\npollInterval: 100\nclaimLimit: 5\nservers: [http://file:1]\n' };
    const env = {
      HARPER_PRERENDER_WORKER_CONFIG: 'w.yaml',
      HARPER_PRERENDER_WORKER_POLL_INTERVAL: '200',
      HARPER_PRERENDER_WORKER_CLAIM_LIMIT: '6',
    };
    expect(resolve(['--claim-limit', '7'], env, files)).toMatchObject({
      concurrency: 3,
      pollInterval: 200,
      claimLimit: 7,
      servers: ['http://file:1'],
    });
  });

  it('JSON is a file too, --config beats the variable, and an empty file says nothing', () => {
    const files = { 'w.json': '{"concurrency": 4, "requireOwnScripts": false}', 'e.yaml': '' };
    expect(resolve(['--config=w.json'], { HARPER_PRERENDER_WORKER_CONFIG: 'none' }, files)).toMatchObject({
      concurrency: 4,
      requireOwnScripts: false,
    });
    expect(resolve(['--config', 'e.yaml'], {}, files)).toEqual(defaultSettings());
  });

  it('lists are repeated flags or commas; patterns keep their commas', () => {
    expect(resolve(['--servers', 'http://a:1,http://b:2', '--servers=http://c:3']).servers).toEqual([
      'http://a:1',
      'http://b:2',
      'http://c:3',
    ]);
    expect(resolve(['--soft404-titles', 'a{1,2}', '--soft404-titles', 'b']).soft404Titles).toEqual(['a{1,2}', 'b']);
    expect(resolve([], { HARPER_PRERENDER_WORKER_SOFT404_TITLES: '' }).soft404Titles).toEqual([]);
  });

  it('switches are flags with and without --no-', () => {
    expect(resolve(['--no-require-own-scripts']).requireOwnScripts).toBe(false);
    expect(resolve(['--require-own-scripts']).requireOwnScripts).toBe(true);
    expect(resolve(['--require-own-scripts=false']).requireOwnScripts).toBe(false);
  });

  it('the password may come from a file, and CHROME_PATH names the browser unless an option does', () => {
    expect(resolve(['--user', 'u', '--password-file', 'p'], {}, { p: 'pass word\n' }).password).toBe('pass word');
    expect(resolve([], { CHROME_PATH: '/chrome' }).chromiumPath).toBe('/chrome');
    expect(resolve(['--chromium-path', '/mine'], { CHROME_PATH: '/chrome' }).chromiumPath).toBe('/mine');
  });
});

describe('bad settings', () => {
  it('unknown ones are named with the nearest known', () => {
    expect(reason(() => resolve(['--concurency', '2']))).toContain(
      '--concurency is not a known option; did you mean --concurrency?',
    );
    expect(reason(() => resolve([], { HARPER_PRERENDER_WORKER_SERVER: 'x' }))).toContain(
      'did you mean HARPER_PRERENDER_WORKER_SERVERS?',
    );
    expect(reason(() => resolve(['--config', 'f'], {}, { f: 'pollIntervall: 1' }))).toContain(
      'f: pollIntervall is not a known option; did you mean pollInterval?',
    );
    expect(reason(() => resolve(['serve']))).toContain('"serve" is not an option');
  });

  it('bad values are named with their place and what would be right', () => {
    expect(reason(() => resolve(['--concurrency', 'many']))).toContain(
      '--concurrency: "many" is not a whole number of jobs',
    );
    expect(reason(() => resolve(['--poll-interval', '5s']))).toContain('whole number of ms');
    expect(reason(() => resolve(['--concurrency', '65']))).toContain('65 is not between 1 and 64 jobs');
    expect(reason(() => resolve(['--sandbox', 'maybe']))).toContain('must be one of auto, on, off');
    expect(reason(() => resolve(['--concurrency']))).toContain('needs a value');
    expect(reason(() => resolve(['--no-concurrency']))).toContain('only switches');
    expect(reason(() => resolve(['--config', 'f'], {}, { f: 'servers: http://a' }))).toContain(
      'f: servers must be a list',
    );
    expect(reason(() => resolve(['--config', 'f'], {}, { f: 'password: 12345' }))).toContain('must be a text');
    expect(reason(() => resolve(['--config', 'f'], {}, { f: 'pollInterval: "5s"' }))).toContain('whole number');
    expect(reason(() => resolve(['--config', 'f'], {}, { f: '- a' }))).toContain('must hold one mapping');
    expect(reason(() => resolve(['--config', 'f'], {}, { f: '{a' }))).toContain('neither YAML nor JSON');
    expect(reason(() => resolve(['--config', 'gone']))).toContain('cannot be read');
  });

  it('values that only make sense together or in a form are checked', () => {
    expect(reason(() => resolve(['--servers', 'harper:9926']))).toContain('is not a URL like http://host:9926');
    expect(reason(() => resolve(['--servers', 'http://u:secret@a:1']))).not.toContain('secret');
    expect(reason(() => resolve(['--servers', 'http://a:1/path']))).toContain('without path');
    expect(reason(() => resolve(['--servers', '']))).toContain('at least one');
    expect(reason(() => resolve(['--user', 'u']))).toContain('without a password');
    expect(reason(() => resolve(['--poll-interval', '2000', '--poll-max-interval', '1000']))).toContain(
      'pollMaxInterval',
    );
    expect(reason(() => resolve(['--private-addresses', '10.0.0.1']))).toContain('is not host:port');
    expect(reason(() => resolve(['--map', 'a']))).toContain('map: "a"');
    expect(reason(() => resolve(['--require-selectors', 'h1']))).toContain('PATTERN SELECTOR');
    expect(reason(() => resolve(['--challenge-titles', '(']))).toContain(
      'challengeTitles: "(" is not a regular expression',
    );
    expect(reason(() => resolve(['--mobile-viewport', 'small']))).toContain('mobileViewport');
  });
});

describe('the help', () => {
  it('names every option with flag, variable and default, and shows no secret', () => {
    const help = helpText('1.2.3');
    for (const name of optionNames()) {
      expect(help).toContain(flagName(name));
      expect(help).toContain(variableName(name));
    }
    expect(help).toContain('harper-prerender-worker 1.2.3');
  });

  it('nearest answers null when nothing is near', () => {
    expect(nearest('qqqqqqqq', ['servers', 'map'])).toBeNull();
    expect(nearest('sevrers', ['servers', 'map'])).toBe('servers');
  });
});
