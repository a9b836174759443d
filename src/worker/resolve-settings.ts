import { readFileSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { PrerenderError, describeError } from '../errors.ts';
import { checkSettings } from './check-settings.ts';
import { ENV_PREFIX, flagName, nearest, optionNames, variableName } from './option-names.ts';
import {
  WORKER_OPTIONS,
  defaultSettings,
  type OptionDescriptor,
  type OptionName,
  type WorkerSettings,
} from './settings.ts';

/** What the command line asks for besides settings. */
export interface CommandLine {
  settings: WorkerSettings;
  help: boolean;
  version: boolean;
}

type Value = string | number | boolean | readonly string[];
type Layer = Partial<Record<OptionName, Value>>;

/**
 * Settings from flags, environment and file: flags beat the environment, which beats the file (`--config` or
 * HARPER_PRERENDER_WORKER_CONFIG), which beats the defaults. Throws CONFIG_INVALID that names the source of a bad value.
 */
export function resolveSettings(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): CommandLine {
  const flags = readFlags(argv);
  if (flags.help || flags.version) return { settings: defaultSettings(), help: flags.help, version: flags.version };
  const file = flags.config ?? env[`${ENV_PREFIX}CONFIG`];
  const merged = { ...(file ? fileLayer(file, readFile) : {}), ...environmentLayer(env), ...flags.layer };
  const passwordFile = merged.passwordFile;
  if (typeof passwordFile === 'string' && passwordFile !== '' && !merged.password)
    merged.password = readNamed(passwordFile, 'passwordFile', readFile).replace(/\r?\n$/, '');
  if (!merged.chromiumPath && env.CHROME_PATH) merged.chromiumPath = env.CHROME_PATH;
  const settings = Object.freeze({ ...defaultSettings(), ...merged } as WorkerSettings);
  checkSettings(settings);
  return { settings, help: false, version: false };
}

/** A CONFIG_INVALID with this reason. */
export function badConfig(reason: string, cause?: unknown): PrerenderError {
  return new PrerenderError('CONFIG_INVALID', { reason }, cause === undefined ? undefined : { cause });
}

function readNamed(path: string, what: string, readFile: (path: string) => string): string {
  try {
    return readFile(path);
  } catch (error) {
    throw badConfig(`${what}: the file ${path} cannot be read: ${describeError(error)}`, error);
  }
}

function readFlags(argv: readonly string[]): { layer: Layer; config?: string; help: boolean; version: boolean } {
  const result: { layer: Layer; config?: string; help: boolean; version: boolean } = {
    layer: {},
    help: false,
    version: false,
  };
  const byFlag = new Map<string, OptionName>(optionNames().map((name) => [flagName(name), name]));
  const queue = [...argv];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === '--help' || word === '-h') result.help = true;
    else if (word === '--version') result.version = true;
    else if (!word.startsWith('--'))
      throw badConfig(`${JSON.stringify(word)} is not an option: every option starts with -- (see --help)`);
    else readFlag(word.slice(2), queue, byFlag, result);
  }
  return result;
}

function readFlag(
  word: string,
  rest: string[],
  byFlag: ReadonlyMap<string, OptionName>,
  result: { layer: Layer; config?: string },
): void {
  const equals = word.indexOf('=');
  const flag = equals < 0 ? word : word.slice(0, equals);
  const next = (): string => {
    const value = equals < 0 ? rest.shift() : word.slice(equals + 1);
    if (value === undefined) throw badConfig(`--${flag} needs a value`);
    return value;
  };
  if (flag === 'config') {
    result.config = next();
    return;
  }
  const negated = flag.startsWith('no-') ? byFlag.get(flag.slice(3)) : undefined;
  const name = byFlag.get(flag) ?? negated;
  if (name === undefined)
    throw unknownOption(
      `--${flag}`,
      [...byFlag.keys(), 'config', 'help'].map((f) => `--${f}`),
    );
  const option: OptionDescriptor = WORKER_OPTIONS[name];
  if (negated !== undefined) {
    if (option.kind !== 'switch') throw badConfig(`--${flag}: only switches can be turned off with --no-`);
    result.layer[name] = false;
  } else if (option.kind === 'switch' && equals < 0) result.layer[name] = true;
  else {
    const value = fromText(option, next(), `--${flag}`);
    const before = result.layer[name];
    result.layer[name] =
      Array.isArray(before) && Array.isArray(value) ? [...(before as string[]), ...(value as string[])] : value;
  }
}

function environmentLayer(env: Readonly<Record<string, string | undefined>>): Layer {
  const byVariable = new Map<string, OptionName>(optionNames().map((name) => [variableName(name), name]));
  const layer: Layer = {};
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith(ENV_PREFIX) || variable === `${ENV_PREFIX}CONFIG` || value === undefined) continue;
    const name = byVariable.get(variable);
    if (name === undefined) throw unknownOption(variable, [...byVariable.keys()]);
    layer[name] = fromText(WORKER_OPTIONS[name], value, variable);
  }
  return layer;
}

function fileLayer(path: string, readFile: (path: string) => string): Layer {
  let parsed: unknown;
  const source = readNamed(path, 'config', readFile);
  try {
    parsed = parseYaml(source);
  } catch (error) {
    throw badConfig(`${path} is neither YAML nor JSON: ${describeError(error)}`, error);
  }
  if (parsed === null || parsed === undefined) return {};
  if (typeof parsed !== 'object' || Array.isArray(parsed)) throw badConfig(`${path} must hold one mapping of options`);
  const layer: Layer = {};
  for (const [key, value] of Object.entries(parsed)) {
    const name = optionNames().find((known) => known === key);
    if (name === undefined) throw unknownOption(`${path}: ${key}`, optionNames(), key);
    layer[name] = fromFile(WORKER_OPTIONS[name], value, `${path}: ${key}`);
  }
  return layer;
}

function unknownOption(where: string, known: readonly string[], word = where): PrerenderError {
  const near = nearest(word, known);
  return badConfig(`${where} is not a known option${near ? `; did you mean ${near}?` : ' (see --help)'}`);
}

function fromText(option: OptionDescriptor, value: string, where: string): Value {
  if (option.kind === 'list')
    return value
      .split(option.commas ? /[,\n]/ : '\n')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  if (option.kind === 'integer') {
    if (!/^\d+$/.test(value))
      throw badConfig(`${where}: ${JSON.stringify(value)} is not a whole number of ${option.unit}`);
    return bounded(option.min, option.max, option.unit, Number(value), where);
  }
  if (option.kind === 'switch') {
    if (value !== 'true' && value !== 'false')
      throw badConfig(`${where}: ${JSON.stringify(value)} must be true or false`);
    return value === 'true';
  }
  return chosen(option.choices, value, where);
}

function fromFile(option: OptionDescriptor, value: unknown, where: string): Value {
  if (option.kind === 'list') {
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
      throw badConfig(`${where} must be a list of texts, like [${option.default[0] ?? 'a'}]`);
    return value;
  }
  if (option.kind === 'integer') {
    if (typeof value !== 'number' || !Number.isInteger(value))
      throw badConfig(`${where}: ${JSON.stringify(value)} is not a whole number of ${option.unit}`);
    return bounded(option.min, option.max, option.unit, value, where);
  }
  if (option.kind === 'switch') {
    if (typeof value !== 'boolean') throw badConfig(`${where}: ${JSON.stringify(value)} must be true or false`);
    return value;
  }
  if (typeof value !== 'string') throw badConfig(`${where} must be a text; put it into quotes`);
  return chosen(option.choices, value, where);
}

function bounded(min: number, max: number, unit: string, value: number, where: string): number {
  if (value < min || value > max) throw badConfig(`${where}: ${value} is not between ${min} and ${max} ${unit}`);
  return value;
}

function chosen(choices: readonly string[] | undefined, value: string, where: string): string {
  if (choices && !choices.includes(value))
    throw badConfig(`${where}: ${JSON.stringify(value)} must be one of ${choices.join(', ')}`);
  return value;
}
