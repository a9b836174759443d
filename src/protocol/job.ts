/**
 * The wire protocol between plugin and render worker: that of the `@harperfast/prerender-browser` 1.18 worker.
 * Plugin and worker share these types and nothing else.
 */

/** One granted job, an element of the array that `POST /render_queue/claim` answers. */
export interface RenderJob {
  /** Opaque to the worker; names the lease. */
  id: string;
  url: string;
  deviceType: string;
  /** Epoch ms when the lease ends: a result after it may be ignored. */
  expiresAt: number;
  /** Hostname (with a port when it is not the scheme's) of the node that takes the result. */
  callbackOrigin: string;
  isFromSitemap: boolean;
  /** Headers to send with every request to the page's own origin (e.g. the bypass token), and to no other. */
  headers?: Record<string, string>;
  /** Ms that the render may take. */
  renderBudget?: number;
}

export const RENDER_OUTCOMES = ['rendered', 'redirected', 'non-indexable', 'error'] as const;
export type RenderOutcome = (typeof RENDER_OUTCOMES)[number];

export const RENDER_REASONS = [
  'noindex',
  'canonical-mismatch',
  'canonical-variant',
  'http-error',
  'redirect-loop',
  'redirect',
  'soft-404',
  'incomplete',
  'error',
] as const;
export type RenderReason = (typeof RENDER_REASONS)[number];

export interface RenderErrorInfo {
  name: string;
  message: string;
  phase: string;
}

/**
 * Name among a result's headers that says: the page itself asks for this status (`prerender-status-code`), while the origin
 * answers 200. Such an answer is kept and replayed, since the origin alone would not give it.
 */
export const PAGE_STATUS_HEADER = 'prerender-status-code';

/** JSON metadata in front of the body of `POST /render_queue/job_result`; its length in bytes is `x-metadata-size`. */
export interface JobResultMetadata {
  id: string;
  url: string;
  /** Status of the page; of a redirected result, that of the FIRST hop. */
  statusCode: number;
  /** Response headers; `content-encoding` (gzip | br) is that of the body sent here. */
  headers: Record<string, string>;
  /** Ms. */
  renderTime: number;
  redirectedTo: string | null;
  isIndexable: boolean;
  outcome: RenderOutcome;
  reason: RenderReason | null;
  error: RenderErrorInfo | null;
  /** Canonical that the page declares, absolute. */
  canonical?: string | null;
  /** Epoch ms when the render read the origin. */
  fetchedAt?: number;
}

/** A checked job result: metadata and the decoded HTML (empty for outcomes that carry none). */
export interface JobResult {
  metadata: JobResultMetadata;
  html: Buffer;
  /** The same HTML as it was sent, when that was gzip: it need not be compressed again. */
  gzipped?: Buffer;
}
