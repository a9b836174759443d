import { describeError, PrerenderError } from '../../errors.ts';

/** Limits named in messages, in ms. */
export interface TimeLimits {
  readonly connectTimeout: number;
  readonly headersTimeout: number;
}

const LOST_CONNECTION = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** What kept the origin from answering, as an error of the closed list. */
export function toOriginError(error: unknown, host: string, limits: TimeLimits): PrerenderError {
  const known = findPrerenderError(error);
  if (known !== undefined) return known;
  const code = codeOf(error);
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return new PrerenderError('ORIGIN_TIMEOUT', { host, limit: limits.connectTimeout }, { cause: error });
  }
  if (code === 'UND_ERR_HEADERS_TIMEOUT') {
    return new PrerenderError('ORIGIN_TIMEOUT', { host, limit: limits.headersTimeout }, { cause: error });
  }
  return new PrerenderError('ORIGIN_UNREACHABLE', { host, reason: reasonOf(code) }, { cause: error });
}

/** Whether the connection broke before an answer, as a kept-alive one does that the origin closes at that moment. */
export function isLostConnection(error: unknown): boolean {
  return LOST_CONNECTION.has(codeOf(error) ?? '');
}

function findPrerenderError(error: unknown): PrerenderError | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 4; current = current.cause, depth++) {
    if (current instanceof PrerenderError) return current;
  }
  return undefined;
}

function codeOf(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Words for the crawler; addresses and ports stay in the log. */
function reasonOf(code: string | undefined): string {
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'its name cannot be resolved';
    case 'ECONNREFUSED':
      return 'it refuses connections';
    case 'UND_ERR_HEADERS_OVERFLOW':
      return 'its response headers are larger than `origin.maxHeaderBytes`';
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
      return 'the connection broke';
    default:
      return code ?? 'it gave no usable answer';
  }
}

/** One line for the log. */
export function logLine(error: PrerenderError): string {
  return `${error.code}: ${describeError(error)}`;
}
