import type { ResponseHeaders } from '../../harper/http.ts';
import { headerText } from './response-headers.ts';

/** What decides whether an answer may be given to others than the one that asked. */
export interface AnswerFacts {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly setsCookie: boolean;
}

const PERSONAL = /(?:^|[\s,])(?:private|no-store)(?:$|[\s,=])/i;

/** Whether Cache-Control says `private` or `no-store`. */
export function isMarkedPrivate(headers: ResponseHeaders): boolean {
  const value = headerText(headers, 'cache-control');
  return value !== undefined && PERSONAL.test(value);
}

/** Whether concurrent misses may share the answer: a 200 without a cookie that is not marked as one person's, of a known fit length. */
export function mayShare({ status, headers, setsCookie }: AnswerFacts, maxBytes: number): boolean {
  if (status !== 200 || setsCookie || isMarkedPrivate(headers)) return false;
  if (headerText(headers, 'vary')?.includes('*') === true) return false;
  const length = headerText(headers, 'content-length');
  return length === undefined || Number(length) <= maxBytes;
}
