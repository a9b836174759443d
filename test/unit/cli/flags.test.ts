import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/cli/cli-error.ts';
import { helpText, parseFlags } from '../../../src/cli/flags.ts';

function errorOf(...argv: string[]): CliError {
  try {
    parseFlags(argv);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error(`${argv.join(' ')} was accepted`);
}

describe('the flags of the start command', () => {
  it('have defaults that need no flag', () => {
    expect(parseFlags([])).toEqual({
      port: undefined,
      data: '.data',
      config: undefined,
      shop: true,
      renderer: true,
      nodes: 1,
      threads: 1,
      json: false,
      help: false,
    });
  });

  it('are read with a space or an equals sign', () => {
    const flags = parseFlags(['--port', '8080', '--data=/srv/data', '--config', 'host.yaml', '--no-shop', '--nodes=3']);
    expect(flags).toMatchObject({ port: 8080, data: '/srv/data', config: 'host.yaml', shop: false, nodes: 3 });
    expect(parseFlags(['--no-renderer', '--json', '--threads', '4'])).toMatchObject({
      renderer: false,
      json: true,
      threads: 4,
    });
  });

  it.each([
    ['--prot', '--port'],
    ['--no-shp', '--no-shop'],
    ['--noshop', '--no-shop'],
    ['--thread', '--threads'],
  ])('misspelt as %s name the nearest, %s', (written, meant) => {
    const error = errorOf(written, '1');
    expect(error.message).toContain(`There is no flag ${written}; did you mean ${meant}?`);
    expect(error.exitCode).toBe(2);
  });

  it.each([
    [['--port', 'abc'], '--port is "abc"; it must be a whole number from 1 to 65535'],
    [['--port', '0'], '--port is "0"; it must be a whole number from 1 to 65535'],
    [['--port', '8080.5'], '--port is "8080.5"'],
    [['--nodes', '10'], '--nodes is "10"; it must be a whole number from 1 to 9'],
    [['--threads', '-2'], '--threads'],
    [['--data'], '--data needs a value: --data DIR'],
    [['--data='], '--data needs a value'],
    [['--config', '--json'], '--config needs a value'],
    [['--json=yes'], '--json is a switch and takes no value, but got "yes"'],
    [['8080'], '"8080" is not a flag'],
    [['--port=10', '--port=11'], '--port is given twice, as "10" and as "11"; give it once'],
    [['--data', 'a', '--data', 'a'], '--data is given twice'],
    [['--json', '--json'], '--json is given twice; give it once'],
    [['--zzzzzz'], 'There is no flag --zzzzzz (see --help)'],
  ])('refuse %j in one line', (argv, message) => {
    const error = errorOf(...argv);
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('\n');
    expect(error.exitCode).toBe(2);
  });

  it('are all in the help', () => {
    const flags = ['port', 'data', 'config', 'no-shop', 'no-renderer', 'nodes', 'threads', 'json', 'help'];
    for (const flag of flags) expect(helpText()).toMatch(new RegExp(`^  --${flag}\\b`, 'm'));
  });
});
