import type { PageStore } from '../page/page.ts';
import type { Target } from '../target/target.ts';
import { cacheKey } from '../url/cache-key.ts';
import type { BotRequest } from './bot-request.ts';
import type { DiscoveryVerdict } from './discovery-verdict.ts';
import type { Resource } from './resource.ts';

/**
 * Why there was no page, for the metric `bot_miss`: `new` (added now), `unrendered`, `device` (another device has a page),
 * `suppressed`, `gated-<reason>`, `gone`, `redirect`, `origin-error`, `not-a-page` (its answer is none to render).
 */
export function missCause(
  pages: Pick<PageStore, 'find'>,
  resource: Resource,
  request: BotRequest,
  target: Target | undefined,
  verdict: DiscoveryVerdict,
): string {
  if (verdict.kind === 'mint') return 'new';
  if (verdict.kind === 'gated') return `gated-${verdict.reason}`;
  if (target?.state === 'moved') return 'redirect';
  if (target?.state === 'suppressed') return 'suppressed';
  const fromAnswer = causeOfAnswer(resource);
  if (fromAnswer !== undefined) return fromAnswer;
  if (target === undefined) return verdict.kind === 'exists' ? 'new' : 'not-a-page';
  return target.firstRenderedAt && hasOtherDevice(pages, request) ? 'device' : 'unrendered';
}

function causeOfAnswer(resource: Resource): string | undefined {
  if (resource.source !== 'origin') return 'origin-error';
  const { status } = resource.answer;
  if (status === 404 || status === 410) return 'gone';
  if (status >= 300 && status < 400) return 'redirect';
  return status >= 500 ? 'origin-error' : undefined;
}

function hasOtherDevice(pages: Pick<PageStore, 'find'>, { target, deviceType, config }: BotRequest): boolean {
  return config.render.devices.some(
    (device) => device !== deviceType && pages.find(cacheKey(target.url, device)) !== undefined,
  );
}
