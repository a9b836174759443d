/**
 * The closed list of errors this product raises. Callers match `code`, never text; an operator can search for it.
 * `retry` names the next step: `never` (the same input fails again), `later` (transient), `stop` (the caller cannot go on).
 */
export interface ErrorDescriptor {
  readonly status: number;
  readonly retry: 'never' | 'later' | 'stop';
  /** `{name}` is replaced by the detail of that name. */
  readonly message: string;
}

export const ERRORS = {
  // Request target and ingress (src/url, src/bot)
  URL_INVALID: { status: 400, retry: 'never', message: 'Not a usable URL: {reason}' },
  URL_TOO_LONG: { status: 414, retry: 'never', message: 'The URL has {length} characters; at most {limit} are served' },
  HOST_INVALID: {
    status: 400,
    retry: 'never',
    message: 'The host {host} is not `hostname[:port]`',
  },
  HOST_NOT_SERVED: {
    status: 403,
    retry: 'never',
    message: 'The host {host} is not in `domains`, the list of hosts this service answers for',
  },
  NO_DOMAINS: {
    status: 403,
    retry: 'never',
    message: 'No host is served: `domains` is empty. List the hosts of the shop, or ["*"] for any',
  },
  LOOP_DETECTED: { status: 508, retry: 'never', message: 'This request has already passed this service ({evidence})' },
  // Origin (src/bot, src/worker)
  ADDRESS_REFUSED: {
    status: 403,
    retry: 'never',
    message:
      'The host {host} does not resolve to public addresses alone; list `host:port` in `origin.privateAddresses` to allow it',
  },
  ORIGIN_UNREACHABLE: { status: 502, retry: 'later', message: 'The origin {host} cannot be reached: {reason}' },
  ORIGIN_TIMEOUT: { status: 504, retry: 'later', message: 'The origin {host} did not answer within {limit} ms' },
  // Queue and admin API
  AUTHENTICATION_REQUIRED: { status: 401, retry: 'never', message: 'Authentication is required' },
  ROLE_REQUIRED: { status: 403, retry: 'never', message: 'This needs {role}' },
  METHOD_NOT_ALLOWED: { status: 405, retry: 'never', message: '{method} is not allowed here; use {allowed}' },
  NOT_FOUND: { status: 404, retry: 'never', message: 'Nothing is found at {path}' },
  BODY_TOO_LARGE: { status: 413, retry: 'never', message: 'The body is larger than {limit} bytes' },
  BODY_INVALID: { status: 400, retry: 'never', message: 'The body is not usable: {reason}' },
  CROSS_SITE_REFUSED: { status: 403, retry: 'never', message: 'A session may only be used from this origin: {reason}' },
  RESULT_INVALID: { status: 400, retry: 'never', message: 'The job result is not usable: {reason}' },
  CLAIM_INVALID: { status: 400, retry: 'never', message: 'The claim is not usable: {reason}' },
  NOT_READY: { status: 503, retry: 'later', message: 'This node does not serve yet: {reason}' },
  // Configuration
  CONFIG_INVALID: { status: 400, retry: 'stop', message: 'The configuration is not usable: {reason}' },
  // Anything else
  INTERNAL: { status: 500, retry: 'later', message: 'Something failed in this service; its log says what' },
} as const satisfies Record<string, ErrorDescriptor>;

export type ErrorCode = keyof typeof ERRORS;

/** An error of the closed list. `message` is the filled template, safe to show to the caller; `cause` is for the log. */
export class PrerenderError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly retry: ErrorDescriptor['retry'];
  readonly details: Readonly<Record<string, string | number>>;

  constructor(code: ErrorCode, details: Record<string, string | number> = {}, options?: { cause?: unknown }) {
    const descriptor: ErrorDescriptor = ERRORS[code];
    super(
      descriptor.message.replace(/\{(\w+)\}/g, (_match, name: string) => String(details[name] ?? name)),
      options,
    );
    this.name = 'PrerenderError';
    this.code = code;
    this.status = descriptor.status;
    this.retry = descriptor.retry;
    this.details = details;
  }
}

/** `message: cause: cause's cause`, since "fetch failed" alone diagnoses nothing. */
export function describeError(error: unknown): string {
  const parts: string[] = [];
  for (let current: unknown = error, depth = 0; current !== undefined && current !== null && depth < 5; depth++) {
    if (!(current instanceof Error)) {
      parts.push(typeof current === 'string' ? current : JSON.stringify(current));
      break;
    }
    const code = (current as NodeJS.ErrnoException).code;
    parts.push(
      code && !current.message.includes(code) ? `${current.message} (${code})` : current.message || current.name,
    );
    current = current.cause;
  }
  return parts.join(': ');
}
