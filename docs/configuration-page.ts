import { isOption, type FieldDescriptor, type OptionDescriptor, type OptionGroup } from '../src/config/descriptor.ts';
import { showNumber } from '../src/config/hints.ts';
import { eachOption } from '../src/config/locate.ts';
import { OPTIONS } from '../src/config/schema.ts';

const INTRO = `# Configuration

This page is generated from the option descriptors in src/config (\`npm run docs\`); a test fails when it is out of date.

## Where options stand

- **Mounted by a host app:** under the component's name in the host's config.yaml, beside \`package\` and \`files\`.
- **Run directly as an app:** at the root of the component's own config.yaml, beside Harper's keys (\`rest\`,
  \`graphqlSchema\`, \`jsResource\`, \`pluginModule\`, \`roles\`).

\`\`\`yaml
harper-prerender:
  package: harper-prerender
  files: /
  domains: [www.shop.example]
  ingress:
    routes:
      - { match: prefix, path: /product/, mode: prerender }
  render:
    interval: 43200000
\`\`\`

Durations are milliseconds and sizes are bytes, as whole numbers.

## Layers

The defaults of this page lie at the bottom, config.yaml over them, overrides made in the running system on top. An option
is taken whole from the highest layer that has it: lists are not joined. A map (\`origin.userAgents\`) keeps those of its
default entries that are not given. The result is frozen; a request works with one snapshot of it from beginning to end.

## Mistakes

Every mistake is logged in one line that names the layer, the path, the value (never that of a secret) and what would be
right: the nearest known key for a misspelt one, the milliseconds of a duration written as text, the bounds, the choices.

- **At boot** a bad value leaves its option as the layer below has it, in the end the default. Unknown keys are not used.
- **While running** nothing of a changed layer is taken when anything in it is bad: the last good configuration stays whole.
  The same holds for a config.yaml that is not valid YAML, which is reported with line and column.

## Security options

Some options guard something. A bad value there, or a key that looks like a misspelling of theirs, must not open it, so at
boot the option is closed, whatever the layers below say:
`;

const AFTER_SECURITY = `
## Changing options while running

Options marked *live* take effect with the next request or job. Options marked *restart* keep their value until Harper is
restarted; a changed one is listed as pending.

Options marked *re-keys* are part of the cache key of every page. Changed live they would leave the cached pages behind
under keys that nobody asks for any more, so such a change is refused and listed as pending while the rest of the changed
configuration is taken; after a restart it is in force and the pages are rendered anew. Of a route only \`match\`, \`path\`,
\`queryParams\` and its place in the list re-key, and nothing does while there are no routes.
`;

const CLOSED_WORDS: Readonly<Record<string, string>> = {
  domains: 'no host is served: every proxy request is refused',
  'ingress.skipToken': 'nobody may skip the cache',
  'origin.privateAddresses': 'no private address is asked',
  'origin.bypassToken': 'no token is sent to the origin',
};

const GROUP_WORDS: Readonly<Record<keyof typeof OPTIONS, string>> = {
  domains: 'The hosts that are served. Everything else depends on it.',
  ingress: "How a crawler's request reaches the service, and what kind of page a path is.",
  origin: 'How the origin is asked: addresses, limits, and what it is told about us.',
  cacheKey: 'Which spellings of a URL are the same page.',
  analytics: 'How crawlers are named and what is measured.',
  discovery: 'Which requests add pages to the rotation.',
  page: 'How stored pages are served and how long they are good.',
  render: 'When pages are rendered, what a job is, and what becomes of its result.',
};

/** The text of docs/configuration.md. */
export function configurationPage(): string {
  const groups = Object.entries(OPTIONS as OptionGroup).map(([name, entry]) => groupSection(name, entry));
  return `${INTRO}\n${securityList()}\n${AFTER_SECURITY}\n${groups.join('\n')}`;
}

function securityList(): string {
  return [...eachOption(OPTIONS)]
    .filter(([, option]) => option.security === true)
    .map(([path]) => `- \`${path}\`: ${CLOSED_WORDS[path] ?? 'nothing is allowed'}`)
    .join('\n');
}

function groupSection(name: string, entry: OptionDescriptor | OptionGroup): string {
  const words = GROUP_WORDS[name as keyof typeof GROUP_WORDS];
  const options = isOption(entry) ? [[name, entry] as const] : [...eachOption(entry, name)];
  return `## ${name}\n\n${words}\n\n${options.map(([path, option]) => optionSection(path, option)).join('\n')}`;
}

function optionSection(path: string, option: OptionDescriptor): string {
  const facts = [...typeFacts(option), defaultFact(option), effectFact(option)];
  const fields = 'fields' in option ? `\n${fieldList(option.fields, '')}` : '';
  return `### ${path}\n\n${option.description}\n\n${facts.map((fact) => `- ${fact}`).join('\n')}\n${fields}`;
}

function typeFacts(option: OptionDescriptor): string[] {
  switch (option.kind) {
    case 'number':
      return [`Type: ${numberWords(option)}, ${showNumber(option, option.min)} to ${showNumber(option, option.max)}`];
    case 'flag':
      return ['Type: `true` or `false`'];
    case 'text':
      return [
        `Type: text, at most ${option.maxLength} characters${option.patternMeaning ? `: ${option.patternMeaning}` : ''}`,
      ];
    case 'choice':
      return [`Type: ${option.choices.map((choice) => `\`${choice}\``).join(' or ')}`];
    case 'text-list': {
      const least = option.minItems === undefined ? '' : `, at least ${option.minItems}`;
      return [`Type: list of texts${least}${option.itemMeaning ? `, each ${option.itemMeaning}` : ''}`];
    }
    case 'text-map':
      return [`Type: map of texts${option.valueMeaning ? `, each ${option.valueMeaning}` : ''}`];
    case 'object-list':
      return ['Type: list of objects, see below'];
    case 'object':
      return ['Type: object, see below'];
  }
}

const UNIT_WORDS = { ms: 'milliseconds', bytes: 'bytes', count: 'number', share: 'share', factor: 'factor' } as const;

function numberWords(option: OptionDescriptor & { kind: 'number' }): string {
  return option.integer ? `${UNIT_WORDS[option.unit]} (whole number)` : UNIT_WORDS[option.unit];
}

function defaultFact(option: OptionDescriptor): string {
  if (option.kind === 'number') return `Default: ${showNumber(option, option.default)}`;
  if (option.default === '' || option.default === null) return 'Default: none';
  return `Default: \`${typeof option.default === 'string' ? option.default : JSON.stringify(option.default)}\``;
}

function effectFact(option: OptionDescriptor): string {
  const marks = [option.reload === 'restart' ? 'restart' : 'live'];
  if (option.rekeys === true) marks.push('re-keys (see above)');
  if (option.security === true) marks.push('security: closes when bad');
  if (option.secret === true) marks.push('secret: never shown');
  return `Takes effect: ${marks.join('; ')}`;
}

function fieldList(fields: Readonly<Record<string, FieldDescriptor>>, indent: string): string {
  return Object.entries(fields)
    .map(([name, field]) => {
      const need = field.required
        ? 'required'
        : field.optional
          ? 'optional'
          : defaultFact(field).replace('Default: ', 'default ');
      const type = typeFacts(field).join(', ').replace('Type: ', '').replace(', see below', '');
      const inner = 'fields' in field ? `\n${fieldList(field.fields, `${indent}  `).trimEnd()}` : '';
      return `${indent}- \`${name}\` (${need}): ${field.description} ${capital(type)}.${inner}\n`;
    })
    .join('');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
