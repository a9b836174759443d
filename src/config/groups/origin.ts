import { bytes, count, duration, text, textList, textMap } from '../descriptor.ts';

/** How the origin is asked: addresses, limits, and what it is told about us. */
export const originOptions = {
  upstreams: textMap(
    {},
    'Address that is really asked for a public host, since public DNS of such a host points back to the CDN: `shop.example: http://10.0.0.5:8080`. A host without an entry is asked by its own name.',
    {
      valuePattern: '^https?://[^/?#@\\s]+/?$',
      valueMeaning: 'a base URL without user name and path, e.g. http://10.0.0.5:8080',
    },
  ),
  privateAddresses: textList(
    [],
    'Private, loopback or link-local addresses that may be asked all the same, as `host:port`. All others are refused after DNS resolution.',
    {
      security: true,
      itemPattern: '^(\\[[0-9a-fA-F:.]+\\]|[^\\s:/]+):\\d{1,5}$',
      itemMeaning: '`host:port`, e.g. 127.0.0.1:8080',
    },
  ),
  connectTimeout: duration(3_000, { min: 50, max: 60_000 }, 'Longest wait for a connection to the origin.'),
  headersTimeout: duration(
    15_000,
    { min: 100, max: 300_000 },
    "Longest wait for the origin's status line and headers.",
  ),
  bodyTimeout: duration(30_000, { min: 100, max: 300_000 }, "Longest pause between two pieces of the origin's body."),
  connections: count(128, { min: 1, max: 4_096 }, 'Connections to one origin at most, per thread.'),
  maxSharedBytes: bytes(
    2_097_152,
    { min: 0, max: 67_108_864 },
    'Longest origin body that concurrent misses of one URL share; a longer one is streamed to the first and asked again for the others.',
  ),
  maxHeaderBytes: bytes(65_536, { min: 4_096, max: 1_048_576 }, "Most bytes of the origin's response headers."),
  userAgents: textMap(
    {
      desktop:
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36 HarperPrerender/0.1',
      mobile:
        'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Mobile Safari/537.36 HarperPrerender/0.1',
    },
    "User agent that the origin sees, by device type; keep the product token `HarperPrerender/…` in it, since it marks our own traffic. Never the crawler's.",
    { valuePattern: '^[\\x20-\\x7e]+$', valueMeaning: 'printable ASCII on one line' },
  ),
  bypassHeader: text(
    'x-prerender-bypass',
    "Header that carries the bypass token to the origin, so that the shop's CDN lets our own requests through.",
    { pattern: "^[a-z0-9!#$%&'*+.^_`|~-]+$", patternMeaning: 'a header name in lower case' },
  ),
  bypassToken: text(
    '',
    'Token sent in `origin.bypassHeader` to the origin and to no other host. Empty: none is sent.',
    {
      secret: true,
      security: true,
      pattern: '^[\\x21-\\x7e]*$',
      patternMeaning: 'visible ASCII characters without spaces',
    },
  ),
  cdnLoopName: text(
    'harper-prerender',
    'Name that this service adds to `CDN-Loop` (RFC 8586) and refuses to see there.',
    {
      pattern: '^[A-Za-z0-9.-]+$',
      patternMeaning: 'letters, digits, dots and hyphens',
    },
  ),
} as const;
