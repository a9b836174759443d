import { parseArgs } from 'node:util';
import { nearKeys } from '../config/nearest-key.ts';
import { CliError } from './cli-error.ts';

/** What the command line of `harper-prerender` asks for. */
export interface StartFlags {
  /** HTTP port; undefined: 9926, or another free one when that is taken. */
  port: number | undefined;
  /** Data directory, as given. */
  data: string;
  /** A host's config.yaml to run with. */
  config: string | undefined;
  shop: boolean;
  renderer: boolean;
  nodes: number;
  threads: number;
  json: boolean;
  help: boolean;
}

interface Flag {
  readonly name: string;
  /** Name of the value in the help; without it the flag is a switch. */
  readonly value?: string;
  readonly help: string;
}

const FLAGS: readonly Flag[] = [
  { name: 'port', value: 'N', help: 'HTTP port (default 9926, or a free one when that is taken)' },
  { name: 'data', value: 'DIR', help: 'where everything is kept (default .data in the current directory)' },
  {
    name: 'config',
    value: 'FILE',
    help: "a host's config.yaml with the options of the component; read again when it changes",
  },
  { name: 'no-shop', help: 'without the sample shop' },
  { name: 'no-renderer', help: 'without a render worker' },
  { name: 'nodes', value: 'N', help: 'a cluster of N nodes on 127.0.0.1, 127.0.0.2, … (default 1, at most 9)' },
  { name: 'threads', value: 'N', help: 'worker threads of each node (default 1, at most 64)' },
  { name: 'json', help: 'the first line of output is one JSON object with every address, user and password' },
  { name: 'help', help: 'this text' },
];

/** The text of `--help`. */
export function helpText(): string {
  const rows = FLAGS.map((flag) => ({ left: `--${flag.name}${flag.value ? ` ${flag.value}` : ''}`, help: flag.help }));
  const width = Math.max(...rows.map(({ left }) => left.length));
  return [
    'Usage: harper-prerender [flags]',
    '',
    'Boots Harper with the component mounted, a sample shop as its origin and a render worker,',
    'shows the life of one page, and serves until stopped.',
    '',
    ...rows.map(({ left, help }) => `  ${left.padEnd(width)}  ${help}`),
    '',
  ].join('\n');
}

/** Reads the command line. Throws CliError (exit code 2) that names the first flag that is wrong and what would be right. */
export function parseFlags(argv: readonly string[]): StartFlags {
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      FLAGS.map(({ name, value }) => [name, { type: value ? 'string' : 'boolean' } as const]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values = new Map<string, string | undefined>();
  for (const token of tokens) {
    if (token.kind === 'positional') throw usage(`"${token.value}" is not a flag: every flag starts with --`);
    if (token.kind !== 'option') continue;
    const name = checkFlag(token.name, token.rawName, token.value);
    if (values.has(name)) throw givenTwice(name, values.get(name), token.value);
    values.set(name, token.value);
  }
  return {
    port: values.has('port') ? wholeNumber(values, 'port', 1, 65_535) : undefined,
    data: values.get('data') ?? '.data',
    config: values.get('config'),
    shop: !values.has('no-shop'),
    renderer: !values.has('no-renderer'),
    nodes: values.has('nodes') ? wholeNumber(values, 'nodes', 1, 9) : 1,
    threads: values.has('threads') ? wholeNumber(values, 'threads', 1, 64) : 1,
    json: values.has('json'),
    help: values.has('help'),
  };
}

/** The flag's name, after its presence and value were found right. */
function checkFlag(name: string, rawName: string, value: string | undefined): string {
  const flag = FLAGS.find((one) => one.name === name);
  if (!flag) {
    const [nearest] = nearKeys(
      name,
      FLAGS.map((one) => one.name),
    );
    throw usage(`There is no flag ${rawName}${nearest ? `; did you mean --${nearest}?` : ''}`);
  }
  if (flag.value && (value === undefined || value === '' || value.startsWith('--'))) {
    throw usage(`--${name} needs a value: --${name} ${flag.value}`);
  }
  if (!flag.value && value !== undefined) throw usage(`--${name} is a switch and takes no value, but got "${value}"`);
  return name;
}

function givenTwice(name: string, first: string | undefined, second: string | undefined): CliError {
  const values = first === undefined ? '' : `, as "${first}" and as "${second}"`;
  return usage(`--${name} is given twice${values}; give it once`);
}

function wholeNumber(values: ReadonlyMap<string, string | undefined>, name: string, min: number, max: number): number {
  const text = values.get(name) ?? '';
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw usage(`--${name} is "${text}"; it must be a whole number from ${min} to ${max}`);
  }
  return value;
}

function usage(message: string): CliError {
  return new CliError(`${message} (see --help)`, 2);
}
