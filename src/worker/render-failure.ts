import type { RenderReason } from '../protocol/job.ts';

/** What a render was doing. */
export type RenderPhase = 'open' | 'navigate' | 'settle' | 'read';

/** A render that gave no page. `suspect`: its browser may be harmed (the page hung or crashed). */
export class RenderFailure extends Error {
  readonly phase: RenderPhase;
  readonly reason: RenderReason;
  /** Status of the page, or 0 when none was received. */
  readonly statusCode: number;
  readonly suspect: boolean;

  constructor(
    name: string,
    message: string,
    details: { phase: RenderPhase; reason?: RenderReason; statusCode?: number; suspect?: boolean; cause?: unknown },
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = name;
    this.phase = details.phase;
    this.reason = details.reason ?? 'error';
    this.statusCode = details.statusCode ?? 0;
    this.suspect = details.suspect ?? false;
  }
}
