/**
 * The options of the render worker: one descriptor each, from which the settings' type, `--help`, and the checks of flags, environment and file follow.
 */

interface Described {
  readonly description: string;
  /** Never printed or logged. */
  readonly secret?: true;
}

/** A text option; `choices` closes the list of values. */
export interface TextOption extends Described {
  readonly kind: 'text';
  readonly default: string;
  readonly choices?: readonly string[];
}

/** A whole number between `min` and `max`, in `unit`. */
export interface IntegerOption extends Described {
  readonly kind: 'integer';
  readonly default: number;
  readonly unit: string;
  readonly min: number;
  readonly max: number;
}

/** On or off. */
export interface SwitchOption extends Described {
  readonly kind: 'switch';
  readonly default: boolean;
}

/** A list of texts: a flag may be repeated; with `commas`, one flag or variable may also hold several, else lines part them. */
export interface ListOption extends Described {
  readonly kind: 'list';
  readonly default: readonly string[];
  readonly commas: boolean;
}

/** Any option. */
export type OptionDescriptor = TextOption | IntegerOption | SwitchOption | ListOption;

const text = (fallback: string, description: string, choices?: readonly string[]): TextOption => ({
  kind: 'text',
  default: fallback,
  description,
  ...(choices && { choices }),
});

const integer = (
  fallback: number,
  unit: string,
  [min, max]: readonly [number, number],
  description: string,
): IntegerOption => ({ kind: 'integer', default: fallback, unit, min, max, description });

const list = (fallback: readonly string[], description: string, commas = true): ListOption => ({
  kind: 'list',
  default: fallback,
  commas,
  description,
});

const toggle = (fallback: boolean, description: string): SwitchOption => ({
  kind: 'switch',
  default: fallback,
  description,
});

/** Every option. The key is its name in a file; the flag is its kebab-case form, the variable its upper-case one. */
export const WORKER_OPTIONS = {
  servers: list(['http://127.0.0.1:9926'], 'Base URLs of the Harper nodes to claim jobs from, http(s)://host:port.'),
  user: text('', 'Harper user with the role prerender_worker.'),
  password: { ...text('', 'Password of that user; better given by passwordFile or the environment.'), secret: true },
  passwordFile: text('', 'File that holds the password.'),
  concurrency: integer(2, 'jobs', [1, 64], 'Pages rendered at the same time.'),
  claimLimit: integer(10, 'jobs', [1, 500], 'Most jobs asked for in one claim; never more than there are free slots.'),
  pollInterval: integer(1000, 'ms', [50, 600_000], 'Wait after an empty claim; doubles up to pollMaxInterval.'),
  pollMaxInterval: integer(15_000, 'ms', [50, 3_600_000], 'Longest wait between claims while there is nothing to do.'),
  requestTimeout: integer(15_000, 'ms', [100, 600_000], 'Limit of one request to a Harper node.'),
  renderTimeout: integer(
    30_000,
    'ms',
    [500, 600_000],
    'Limit of one render; a job’s own budget and lease may shorten it.',
  ),
  reportMargin: integer(2000, 'ms', [0, 60_000], 'Time kept free before the end of a lease to deliver the result.'),
  settleQuiet: integer(500, 'ms', [50, 60_000], 'The network must be quiet this long.'),
  settleDomQuiet: integer(400, 'ms', [50, 60_000], 'The DOM must be unchanged this long.'),
  settleMax: integer(
    10_000,
    'ms',
    [500, 600_000],
    'After this a page whose DOM or beacons never rest is taken, unless a first request is still open.',
  ),
  requestHold: integer(
    8000,
    'ms',
    [500, 600_000],
    'A request open for longer (long polling) no longer holds the page.',
  ),
  requireSelectors: list(
    [],
    '`PATTERN SELECTOR`: on URLs that match the pattern (a regular expression) the page is incomplete without that selector.',
    false,
  ),
  requireOwnScripts: toggle(
    true,
    'A page is incomplete when a script of its own origin fails to load (5xx or no connection).',
  ),
  minText: integer(
    1,
    'characters',
    [0, 1_000_000],
    'Visible text below which a page without pictures or frames is blank.',
  ),
  challengeTitles: list(
    [
      '^just a moment(\\.\\.\\.|…)?$',
      '^attention required! [|] cloudflare$',
      '^checking your browser',
      '^pardon our interruption',
      '^ddos-guard$',
      '^access denied$',
      '^please verify you are a human$',
    ],
    'Titles (regular expressions) of bot challenges: such a page is an error, never a page. An empty list never guesses.',
    false,
  ),
  soft404Titles: list(
    ['^(error )?404$', '^((error )?404.{0,3} ?)?(page )?not found( [-–|:] .*)?$'],
    'Titles (regular expressions) of error pages sent with 200. An empty list never guesses.',
    false,
  ),
  blockResourceTypes: list(
    ['image', 'font', 'media'],
    'Resource types that are not downloaded (image, font, media, stylesheet, ...); pictures are answered with an empty one.',
  ),
  privateAddresses: list(
    [],
    '`host:port` of private, loopback or link-local addresses that pages may be loaded from; all others are refused.',
  ),
  map: list(
    [],
    '`public-host[:port]=[http://|https://]address[:port]`: where the requests for a public host really go.',
  ),
  chromiumPath: text('', 'Chromium or Chrome to run; else CHROME_PATH, else the one of @sparticuz/chromium.'),
  sandbox: text('auto', 'Sandbox of Chromium; auto: on unless the user is root.', ['auto', 'on', 'off']),
  recycleAfter: integer(200, 'pages', [1, 100_000], 'A browser is replaced after so many pages.'),
  killGrace: integer(2000, 'ms', [0, 60_000], 'Time a browser has to close before its processes are killed.'),
  maxBodyBytes: integer(10 << 20, 'bytes', [1024, 256 << 20], 'Largest HTML that is taken.'),
  maxPageMemory: integer(768, 'MB', [64, 65_536], 'A page that uses more memory is stopped.'),
  desktopViewport: text('1366x900', 'WIDTHxHEIGHT[@SCALE] of the desktop device.'),
  mobileViewport: text('412x915@2.6', 'WIDTHxHEIGHT[@SCALE] of the mobile device.'),
  desktopUserAgent: text(
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{chrome}.0.0.0 Safari/537.36 HarperPrerender/{version}',
    'User agent of the desktop device; {chrome} and {version} are filled in.',
  ),
  mobileUserAgent: text(
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{chrome}.0.0.0 Mobile Safari/537.36 HarperPrerender/{version}',
    'User agent of the mobile device; {chrome} and {version} are filled in.',
  ),
  drainTimeout: integer(
    60_000,
    'ms',
    [0, 3_600_000],
    'After SIGTERM running jobs have this long to finish and report.',
  ),
  logFormat: text('text', 'Form of the log on stderr.', ['text', 'json']),
  logLevel: text('info', 'Least level that is logged.', ['debug', 'info', 'warn', 'error']),
} as const satisfies Record<string, OptionDescriptor>;

type ValueOf<O extends OptionDescriptor> = O extends { kind: 'integer' }
  ? number
  : O extends { kind: 'switch' }
    ? boolean
    : O extends { kind: 'list' }
      ? readonly string[]
      : string;

/** Name of an option, as in a settings file. */
export type OptionName = keyof typeof WORKER_OPTIONS;

/** The resolved options, frozen. */
export type WorkerSettings = { readonly [K in OptionName]: ValueOf<(typeof WORKER_OPTIONS)[K]> };

/** All defaults, with `overrides` on top (unchecked: for tests and in-process use). */
export function defaultSettings(overrides: Partial<WorkerSettings> = {}): WorkerSettings {
  const defaults = Object.fromEntries(Object.entries(WORKER_OPTIONS).map(([name, option]) => [name, option.default]));
  return Object.freeze({ ...(defaults as WorkerSettings), ...overrides });
}
