import { bytes, choice, count, flag, objectList, text } from '../descriptor.ts';
import type { RouteOptions } from '../../url/routes.ts';
import { routeFields } from './route.ts';

const HEADER_NAME = { pattern: "^[a-z0-9!#$%&'*+.^_`|~-]+$", patternMeaning: 'a header name in lower case' };

/** How a crawler's request reaches us and what it names. */
export const ingressOptions = {
  mode: choice(
    ['prefix', 'forwarded'],
    'prefix',
    '`prefix`: the CDN asks for `<prefix><absolute URL>`; `forwarded`: it asks for the path and names the host in headers.',
  ),
  prefix: text('/p/', 'Path under which absolute URLs are asked for in `prefix` mode.', {
    pattern: '^/([A-Za-z0-9_.-]+/)+$',
    patternMeaning: 'a path that starts and ends with a slash, e.g. /p/',
  }),
  hostHeader: text('x-forwarded-host', 'Header that names the public host in `forwarded` mode.', HEADER_NAME),
  protoHeader: text(
    'x-forwarded-proto',
    'Header that names the scheme in `forwarded` mode; without it, https.',
    HEADER_NAME,
  ),
  deviceHeader: text(
    'x-device-type',
    'Header that names the device type; without it the user agent decides.',
    HEADER_NAME,
  ),
  devicePath: flag(
    false,
    'Whether the first path segment may name the device type (`/mobile/…`, in `forwarded` mode).',
  ),
  debugHeader: text(
    'x-prerender-debug',
    'A request with this header is answered with `x-prerender-*` headers.',
    HEADER_NAME,
  ),
  skipHeader: text(
    'x-prerender-skip',
    'A request whose header of this name holds `ingress.skipToken` skips the cache.',
    HEADER_NAME,
  ),
  skipToken: text('', 'Secret that allows to skip the cache. Empty: nobody may.', {
    secret: true,
    security: true,
    pattern: '^[\\x21-\\x7e]*$',
    patternMeaning: 'visible ASCII characters without spaces',
  }),
  maxUrlLength: count(
    8_192,
    { min: 256, max: 65_536 },
    'Longest URL that is answered, in characters; longer ones get 414.',
  ),
  maxRequestBytes: bytes(
    1_048_576,
    { min: 0, max: 104_857_600 },
    'Longest body of a request that is passed on to the origin.',
  ),
  routes: objectList<RouteOptions>(routeFields, 'What kind of page a path is; the first that matches wins.', {
    rekeys: true,
  }),
} as const;
