import { PrerenderError } from '../errors.ts';
import type { SchedulePort, Target } from './target.ts';
import type { Targets } from './targets.ts';

/** What the Target resource is built from; Harper's class over it only binds and authorises. */
export interface TargetResourceDeps {
  readonly targets: Targets;
  readonly schedule: SchedulePort;
  /** Removes the pages of a URL. */
  readonly removePages: (url: string) => Promise<number>;
  /** The canonical form of a URL on a served host and a prerender route, or why it cannot be a Target. */
  readonly canonical: (url: string) => { ok: true; url: string } | { ok: false; reason: string };
}

/** Writes of the Target resource, validated; for super users. */
export interface TargetResource {
  /** The row of the URL, spelt in any way. @throws PrerenderError URL_INVALID, NOT_FOUND */
  get(url: string): Target;
  /**
   * `PUT /Target/<url>`: adds the URL; one that exists keeps what is known of it and takes over the fields that are given.
   * @throws PrerenderError URL_INVALID, BODY_INVALID
   */
  put(url: string, body: unknown): Promise<{ url: string; outcome: 'created' | 'exists' }>;
  /** `DELETE /Target/<url>`: removes it with its pages and schedule. @throws PrerenderError URL_INVALID, NOT_FOUND */
  delete(url: string): Promise<{ url: string; pages: number }>;
  /** `POST /Target {action: "revalidate", url}`: has it rendered as soon as possible. @throws PrerenderError URL_INVALID, BODY_INVALID, NOT_FOUND */
  post(body: unknown): Promise<{ url: string; outcome: 'due' }>;
}

const PUT_FIELDS = ['url', 'renderInterval'];
const POST_FIELDS = ['action', 'url'];
const MIN_INTERVAL_MS = 60_000;
const MAX_INTERVAL_MS = 365 * 86_400_000;

export function createTargetResource(deps: TargetResourceDeps): TargetResource {
  const { targets, schedule } = deps;
  const known = (url: string): Target => {
    const target = targets.find(canonicalUrl(deps, url));
    if (!target) throw new PrerenderError('NOT_FOUND', { path: url.slice(0, 300) });
    return target;
  };
  return {
    get: known,
    put: async (url, body) => {
      const fields = objectWith(body ?? {}, PUT_FIELDS);
      const canonical = canonicalUrl(deps, url);
      if (
        fields['url'] !== undefined &&
        (typeof fields['url'] !== 'string' || canonicalUrl(deps, fields['url']) !== canonical)
      ) {
        throw new PrerenderError('BODY_INVALID', { reason: '`url` is not the URL that the path names' });
      }
      const renderInterval = intervalField(fields['renderInterval']);
      const outcome = await targets.mint({ url: canonical, source: 'admin', renderInterval });
      if (outcome === 'exists' && renderInterval !== undefined) await targets.setInterval(canonical, renderInterval);
      return { url: canonical, outcome };
    },
    delete: async (url) => {
      const target = known(url);
      // In this order a result that is on its way leaves no page: without a Target it is refused, and dropping waits for one under way.
      await targets.delete(target.url);
      await schedule.drop(target.url);
      const pages = await deps.removePages(target.url);
      return { url: target.url, pages };
    },
    post: async (body) => {
      const { action, url } = objectWith(body, POST_FIELDS);
      if (action !== 'revalidate') {
        throw new PrerenderError('BODY_INVALID', { reason: `\`action\` has to be "revalidate", not ${shown(action)}` });
      }
      if (typeof url !== 'string') {
        throw new PrerenderError('BODY_INVALID', { reason: `\`url\` has to be a text, not ${shown(url)}` });
      }
      const target = known(url);
      await schedule.fileDue(target.url, 'urgent');
      return { url: target.url, outcome: 'due' };
    },
  };
}

function canonicalUrl({ canonical }: TargetResourceDeps, url: string): string {
  const result = canonical(url);
  if (!result.ok) throw new PrerenderError('URL_INVALID', { reason: result.reason });
  return result.url;
}

function objectWith(body: unknown, fields: readonly string[]): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new PrerenderError('BODY_INVALID', { reason: 'it has to be a JSON object' });
  }
  const unknown = Object.keys(body).find((name) => !fields.includes(name));
  if (unknown !== undefined) {
    const reason = `\`${unknown.slice(0, 60)}\` cannot be set; known are ${fields.join(', ')}`;
    throw new PrerenderError('BODY_INVALID', { reason });
  }
  return body as Record<string, unknown>;
}

function intervalField(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= MIN_INTERVAL_MS && value <= MAX_INTERVAL_MS)
    return value;
  throw new PrerenderError('BODY_INVALID', {
    reason: `\`renderInterval\` has to be a whole number of ms from ${MIN_INTERVAL_MS} to ${MAX_INTERVAL_MS}, not ${shown(value)}`,
  });
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 60);
}
