import { PrerenderError } from '../errors.ts';
import { parseDeviceViewport } from './device-profiles.ts';
import { parseHostMappings } from './host-mapping.ts';
import { parsePatterns, parseSelectorRules } from './page-rules.ts';
import type { WorkerSettings } from './settings.ts';

/** Checks what one value's type cannot say: URLs, patterns, mappings, options that need each other. Throws CONFIG_INVALID. */
export function checkSettings(settings: WorkerSettings): void {
  if (settings.servers.length === 0) fail('servers: at least one base URL of a Harper node is needed');
  for (const server of settings.servers) checkServer(server);
  if (settings.user !== '' && settings.password === '')
    fail('user is given without a password: set passwordFile or HARPER_PRERENDER_WORKER_PASSWORD');
  if (settings.pollMaxInterval < settings.pollInterval) fail('pollMaxInterval must not be shorter than pollInterval');
  for (const entry of settings.privateAddresses)
    if (!/^(\[[0-9a-f:.]+\]|[^\s:/@]+):\d{1,5}$/i.test(entry))
      fail(`privateAddresses: ${JSON.stringify(entry)} is not host:port (an IPv6 address in brackets)`);
  parseHostMappings(settings.map);
  parseSelectorRules(settings.requireSelectors);
  parsePatterns('challengeTitles', settings.challengeTitles);
  parsePatterns('soft404Titles', settings.soft404Titles);
  parseDeviceViewport('desktopViewport', settings.desktopViewport);
  parseDeviceViewport('mobileViewport', settings.mobileViewport);
}

function checkServer(server: string): void {
  const url = URL.canParse(server) ? new URL(server) : null;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return fail(`servers: ${JSON.stringify(server)} is not a URL like http://host:9926`);
  if (url.username !== '' || url.password !== '')
    fail(`servers: put user and password into the options of that name, not into the URL of ${url.host}`);
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    fail(`servers: ${JSON.stringify(server)} must be a base URL without path or query`);
}

function fail(reason: string): never {
  throw new PrerenderError('CONFIG_INVALID', { reason });
}
