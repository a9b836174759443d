import { flagName, optionNames, variableName } from './option-names.ts';
import { WORKER_OPTIONS, type OptionDescriptor } from './settings.ts';

/** The text of `--help`, made from the option descriptors. */
export function helpText(version: string): string {
  const lines = [
    `harper-prerender-worker ${version}: renders the pages that Harper nodes ask for in headless Chromium.`,
    '',
    'Usage: harper-prerender-worker [options]',
    '',
    'Each option can be a flag, an environment variable or a key of the YAML or JSON file named by --config FILE;',
    'flags beat the environment, the environment beats the file. Lists: repeat the flag.',
    'SIGTERM or SIGINT: claim no more, finish and report what runs, exit; a second one kills.',
    '',
  ];
  for (const name of optionNames()) lines.push(...optionHelp(name, WORKER_OPTIONS[name]));
  lines.push('  --config FILE', '      File with options; keys are the camelCase names.', '  --help, --version', '');
  return lines.join('\n');
}

function optionHelp(name: string, option: OptionDescriptor): string[] {
  const flag = option.kind === 'switch' ? `--[no-]${flagName(name)}` : `--${flagName(name)} ${valueName(option)}`;
  return [
    `  ${flag}`,
    `      ${option.description}`,
    `      ${variableName(name)}; in a file: ${name}; default: ${defaultText(option)}`,
  ];
}

function valueName(option: OptionDescriptor): string {
  if (option.kind === 'integer') return option.unit.toUpperCase();
  if (option.kind === 'text' && option.choices) return option.choices.join('|');
  return option.kind === 'list' ? 'ITEM' : 'TEXT';
}

function defaultText(option: OptionDescriptor): string {
  if (option.kind === 'integer') return `${option.default} ${option.unit} (${option.min} to ${option.max})`;
  if (option.kind === 'list')
    return option.default.length === 0 ? 'none' : option.default.join(option.commas ? ',' : ' ; ');
  return String(option.default) || 'none';
}

/** The options as a Markdown table, for docs/worker.md. */
export function optionTable(): string {
  const rows = optionNames().map((name) => {
    const option: OptionDescriptor = WORKER_OPTIONS[name];
    const cells = [`\`${name}\``, code(defaultText(option)), option.description];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| option | default | |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

function code(text: string): string {
  return text === 'none' ? text : `\`${text}\``;
}
