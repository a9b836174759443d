import { ENCODINGS, supportedEncodings, type Encoding } from './encodings.ts';

/** How the shop answers one address, or one product in whatever spelling, until told otherwise. */
export interface Rule {
  /** Answer with this status; 400 and above replace the body unless `body` is given. */
  status?: number;
  /** Redirect there; `status` is 301 unless given. Sent byte for byte. */
  location?: string;
  /** Wait that many ms before answering. */
  delayMs?: number;
  /** Added to the answer's headers; `null` removes one. A list sends the header several times. */
  headers?: Record<string, string | string[] | null>;
  /** Replaces the body. */
  body?: string;
  /** Applied in this order, whatever the request accepts. */
  encodings?: Encoding[];
  /** Send that many bytes of the body, then cut the connection. */
  dropAfterBytes?: number;
  /** Cut the connection before any answer. */
  hangUp?: boolean;
  /** Answer with the document of `/echo`. */
  echo?: boolean;
  /** Canonical that the document declares; `null`: none. Product and catalog pages only. */
  canonical?: string | null;
  /** HTML added at the end of `<head>`. Product and catalog pages only. */
  head?: string;
  /** Only that many requests, then as before. */
  times?: number;
}

/** What the shop can be told. `path` is a raw path, with or without query, or a prefix ending in `*`. */
export type ShopCommand =
  | { command: 'price'; id: number; price: number }
  | { command: 'slug'; id: number; slug: string }
  | { command: 'sell-out'; id: number }
  | { command: 'restock'; id: number }
  | ({ command: 'answer'; path?: string; id?: number } & Rule)
  | ({ command: 'page'; path: string } & Rule)
  | { command: 'clear'; path?: string; id?: number }
  | { command: 'reset' };

/** A command that cannot be followed; the message says what is wrong and what would be right. */
export class ShopCommandError extends Error {}

type Check = { readonly right: string; readonly test: (value: unknown, size: number) => boolean };
type Fields = Readonly<Record<string, Check>>;

const isWhole = (value: unknown, least: number, most: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
const isText = (value: unknown): value is string => typeof value === 'string';
const isHeaderText = (value: unknown): boolean => isText(value) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
const isHeaderValue = (value: unknown): boolean =>
  value === null || isHeaderText(value) || (Array.isArray(value) && value.every(isHeaderText));

const ID: Check = {
  right: 'the id of a product, a whole number from 1 to {size}',
  test: (v, size) => isWhole(v, 1, size),
};
const PATH: Check = {
  right: 'a path that starts with "/" and is not below /__shop',
  test: (v) => isText(v) && /^\/[\x21-\x7e]*$/.test(v) && !/^\/__shop(?![^/?*])/.test(v),
};
const RULE: Fields = {
  status: { right: 'a whole number from 200 to 599', test: (v) => isWhole(v, 200, 599) },
  location: { right: 'a URL or path as text, ASCII only', test: (v) => isText(v) && /^[\x21-\x7e]+$/.test(v) },
  delayMs: { right: 'a whole number of ms from 0 to 600000', test: (v) => isWhole(v, 0, 600_000) },
  headers: {
    right: 'an object of header names, each with a line of text, a list of such, or null to remove it',
    test: (v) =>
      isRecord(v) && Object.entries(v).every(([name, value]) => /^[\w-]+$/.test(name) && isHeaderValue(value)),
  },
  body: { right: 'text', test: isText },
  encodings: {
    right: `a list of ${ENCODINGS.join(', ')} that this Node.js can write ({encodings})`,
    test: (v) => Array.isArray(v) && v.every((name) => supportedEncodings().some((known) => known === name)),
  },
  dropAfterBytes: { right: 'a whole number of bytes, 0 or more', test: (v) => isWhole(v, 0, 2 ** 31) },
  hangUp: { right: 'true or false', test: (v) => typeof v === 'boolean' },
  echo: { right: 'true or false', test: (v) => typeof v === 'boolean' },
  canonical: { right: 'a URL as text, or null for none', test: (v) => v === null || isText(v) },
  head: { right: 'HTML as text', test: isText },
  times: { right: 'a whole number, 1 or more', test: (v) => isWhole(v, 1, 2 ** 31) },
};

const COMMANDS: Readonly<Record<ShopCommand['command'], { needs: Fields; may: Fields; oneOf?: Fields }>> = {
  price: {
    needs: { id: ID, price: { right: 'dollars, more than 0', test: (v) => typeof v === 'number' && v > 0 && v < 1e7 } },
    may: {},
  },
  slug: {
    needs: {
      id: ID,
      slug: {
        right: 'lower-case words with hyphens between',
        test: (v) => isText(v) && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(v),
      },
    },
    may: {},
  },
  'sell-out': { needs: { id: ID }, may: {} },
  restock: { needs: { id: ID }, may: {} },
  answer: { needs: {}, may: RULE, oneOf: { path: PATH, id: ID } },
  page: { needs: { path: PATH }, may: RULE },
  clear: { needs: {}, may: {}, oneOf: { path: PATH, id: ID } },
  reset: { needs: {}, may: {} },
};

/** Every command with the fields it takes and what they must be, for the description of the control API. */
export function describeCommands(size: number): Record<string, Record<string, string>> {
  return Object.fromEntries(
    Object.entries(COMMANDS).map(([name, { needs, may, oneOf }]) => [
      name,
      Object.fromEntries(
        Object.entries({ ...needs, ...oneOf, ...may }).map(([field, check]) => [field, right(check, size)]),
      ),
    ]),
  );
}

/** Checks a command that came from outside. `size` is the number of products. Throws ShopCommandError. */
export function parseCommand(input: unknown, size: number): ShopCommand {
  if (!isRecord(input))
    throw new ShopCommandError('A command is a JSON object, e.g. {"command":"price","id":1,"price":9.5}');
  const { command, ...fields } = input;
  const names = Object.keys(COMMANDS);
  if (!isText(command) || !isCommandName(command)) {
    throw new ShopCommandError(`There is no command ${JSON.stringify(command)}; there are ${names.join(', ')}`);
  }
  const { needs, may, oneOf = {} } = COMMANDS[command];
  const checks: Fields = { ...needs, ...oneOf, ...may };
  for (const [field, value] of Object.entries(fields)) {
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
    if (check === undefined) {
      const known = Object.keys(checks).join(', ') || 'no fields';
      throw new ShopCommandError(`${command} has no field "${field}"; it takes ${known}`);
    }
    if (!check.test(value, size)) {
      throw new ShopCommandError(`${command}.${field} is ${JSON.stringify(value)}; it must be ${right(check, size)}`);
    }
  }
  for (const [field, check] of Object.entries(needs)) {
    if (!(field in fields)) throw new ShopCommandError(`${command} needs "${field}": ${right(check, size)}`);
  }
  if (Object.keys(oneOf).length > 0 && Object.keys(oneOf).filter((field) => field in fields).length !== 1) {
    throw new ShopCommandError(
      `${command} needs exactly one of "path" (${right(PATH, size)}) and "id" (${right(ID, size)})`,
    );
  }
  return { command, ...fields } as ShopCommand;
}

function right(check: Check, size: number): string {
  return check.right.replace('{size}', String(size)).replace('{encodings}', supportedEncodings().join(', '));
}

function isCommandName(name: string): name is ShopCommand['command'] {
  return Object.hasOwn(COMMANDS, name);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
