/** Row of the Target table (schema.graphql): the registry of URLs, authoritative for rendering. Times are epoch ms. */
export interface Target {
  url: string;
  sitemapUrl: string | null;
  source: TargetSource;
  discoveredBy: string | null;
  createdAt: number;
  firstRenderedAt: number | null;
  renderInterval: number | null;
  demandInterval: number | null;
  state: TargetState;
  suppressedReason: SuppressionReason | null;
  suppressedCanonical: string | null;
  suppressedAt: number | null;
  strikes: number;
  unlistedAt: number | null;
  movedTo: string | null;
}

export type TargetSource = 'discovery' | 'sitemap' | 'redirect' | 'canonical' | 'admin';

/** `null`: in rotation. */
export type TargetState = null | 'suppressed' | 'moved';

export const SUPPRESSION_REASONS = [
  'noindex',
  'canonical-mismatch',
  'http-gone',
  'http-error',
  'soft-404',
  'redirect-loop',
  'forbidden',
] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

export interface MintRequest {
  /** Canonical URL. */
  readonly url: string;
  readonly source: TargetSource;
  /** Crawler whose miss it was. */
  readonly discoveredBy?: string;
  readonly sitemapUrl?: string;
  readonly renderInterval?: number;
}

/** What the bot request needs of the registry; never waits for another node. */
export interface TargetReader {
  /** As this node has it, synchronously. */
  find(url: string): Target | undefined;
}

/** Adds URLs to the registry. */
export interface TargetMinter {
  /**
   * Puts a Target back into rotation, due at once, that was suppressed as gone: the origin has answered 200 since. Answers
   * whether it was one.
   */
  reopen(url: string): Promise<boolean>;
  /**
   * Creates the Target, when there is none, and has its first render scheduled on the owner. Resolves when the Target is
   * committed here; the schedule is filed as well, or the owner's repair files it.
   */
  mint(request: MintRequest): Promise<'created' | 'exists'>;
  /** The same for many (about 200 at most, each URL once), in one transaction of each table. Resolves to the URLs created. */
  mintAll(requests: readonly MintRequest[]): Promise<string[]>;
}

/** When a new Target is first rendered, and how often it is to be. */
export interface FirstRender {
  readonly intervalMs: number;
  readonly withinMs: number;
  readonly fromSitemap: boolean;
}

/** What the registry asks of the queue, which implements it; injected in plugin.ts so that no circle arises. */
export interface SchedulePort {
  /** Files the first render of a new Target, at a moment the URL decides, within `withinMs`. From any node. */
  fileFirst(url: string, options: FirstRender): Promise<void>;
  /** The same for many URLs at once. */
  fileFirstAll(rows: readonly ({ url: string } & FirstRender)[]): Promise<void>;
  /** Makes an existing row due now, with its mark; from a node that is not the owner the owner is asked. */
  fileDue(url: string, mark: 'changed' | 'urgent'): Promise<void>;
  /** Drops the row; from a node that is not the owner the owner is asked. */
  drop(url: string): Promise<void>;
}
