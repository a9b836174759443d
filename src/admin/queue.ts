import { PrerenderError } from '../errors.ts';
import type { Breaker } from '../queue/breaker.ts';
import { ALL_HOSTS, type Pause } from '../queue/pause.ts';
import type { Targets } from '../target/targets.ts';
import { normalizeHost, parseForwardedHost } from '../url/host.ts';
import { onlyFields, textField } from './fields.ts';
import type { AdminCall, AdminRoute } from './router.ts';

const LIST_LIMIT = 200;

export interface QueueRoutesDeps {
  readonly queue: { readonly pause: Pause; readonly breaker: Breaker; isKeeper(): boolean };
  readonly targets: Pick<Targets, 'counts'>;
  /** Hostname of this node, and the index of this thread. */
  readonly node: string;
  readonly thread: number;
}

/** `GET /queue`, `POST /queue/pause` and `/queue/resume` with `{scope, reason}`: a host, or `*` for all. */
export function queueRoutes({ queue, targets, node, thread }: QueueRoutesDeps): AdminRoute[] {
  const decide = (how: 'pause' | 'resume') => async (call: AdminCall) => {
    onlyFields(call, ['scope', 'reason']);
    const scope = scopeField(call);
    await queue.pause[how](scope, { who: call.who, reason: textField(call, 'reason', '') });
    return { scope, paused: how === 'pause' };
  };
  return [
    {
      method: 'GET',
      path: '/queue',
      handle: async () => ({
        node,
        thread,
        // The thread that runs lease expiry and repair; another thread answers false.
        keeper: queue.isKeeper(),
        paused: await queue.pause.list(LIST_LIMIT),
        breakers: await queue.breaker.list(LIST_LIMIT),
        targets: await targets.counts(),
      }),
    },
    { method: 'POST', path: '/queue/pause', handle: decide('pause') },
    { method: 'POST', path: '/queue/resume', handle: decide('resume') },
  ];
}

function scopeField(call: AdminCall): string {
  const scope = textField(call, 'scope', ALL_HOSTS);
  if (scope === ALL_HOSTS) return scope;
  const parsed = parseForwardedHost(scope);
  const host = parsed.ok ? normalizeHost(parsed.host, 'https') : undefined;
  if (host !== undefined) return host;
  throw new PrerenderError('BODY_INVALID', { reason: '`scope` has to be a host such as www.shop.example, or "*"' });
}
