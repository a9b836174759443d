import { PrerenderError } from '../errors.ts';
import type { HeldVerdicts } from '../queue/held-verdicts.ts';
import { SUPPRESSION_REASONS, type SuppressionReason } from '../target/target.ts';
import { numberField, onlyFields, textField } from './fields.ts';
import type { AdminCall, AdminRoute } from './router.ts';

const LIST_LIMIT = 200;
const LIFT_LIMIT = 10_000;

/**
 * What the mass-verdict guard holds, and its decisions: `GET /suppressions/held?route=&after=`, `POST /suppressions/accept`
 * and `/suppressions/release` with `{route}`, `POST /suppressions/lift` with `{reason?, since?, limit?}`.
 */
export function suppressionRoutes(held: HeldVerdicts): AdminRoute[] {
  const decide = (how: 'accept' | 'release') => async (call: AdminCall) => {
    onlyFields(call, ['route']);
    const route = textField(call, 'route');
    return { route, decided: how, urls: await held[how](route) };
  };
  return [
    {
      method: 'GET',
      path: '/suppressions/held',
      handle: async ({ query }) => {
        const route = query.get('route');
        const guards = await held.guards();
        if (route === null) return { guards };
        return { guards, held: await held.list(route, LIST_LIMIT, query.get('after') ?? undefined) };
      },
    },
    { method: 'POST', path: '/suppressions/accept', handle: decide('accept') },
    { method: 'POST', path: '/suppressions/release', handle: decide('release') },
    {
      method: 'POST',
      path: '/suppressions/lift',
      handle: async (call) => {
        onlyFields(call, ['reason', 'since', 'limit']);
        const reason = call.body['reason'] === undefined ? undefined : reasonField(call);
        const since = numberField(call, 'since', { fallback: 0, min: 0, max: Number.MAX_SAFE_INTEGER });
        const limit = numberField(call, 'limit', { fallback: 1_000, min: 1, max: LIFT_LIMIT });
        return { lifted: await held.liftSuppressed({ reason, since, limit }) };
      },
    },
  ];
}

function reasonField(call: AdminCall): SuppressionReason {
  const given = textField(call, 'reason');
  const reason = SUPPRESSION_REASONS.find((known) => known === given);
  if (reason !== undefined) return reason;
  throw new PrerenderError('BODY_INVALID', {
    reason: `\`reason\` has to be one of ${SUPPRESSION_REASONS.join(', ')}, not ${JSON.stringify(given.slice(0, 60))}`,
  });
}
