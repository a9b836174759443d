import { PrerenderError } from '../errors.ts';

/** Where the requests for one public host really go. */
export interface HostMapping {
  /** Lower-case host name of the URLs. */
  host: string;
  /** Port of the URLs; null: any. */
  port: number | null;
  /** Scheme spoken with the address; null: that of the URL. */
  scheme: 'http' | 'https' | null;
  address: string;
  /** Port of the address; null: that of the URL. */
  addressPort: number | null;
}

const MAPPING =
  /^(\[[0-9a-f:.]+\]|[^\s:=/@]+)(?::(\d{1,5}))?=(?:(https?):\/\/)?(\[[0-9a-f:.]+\]|[^\s:=/@]+)(?::(\d{1,5}))?\/?$/i;

/** `shop.example=127.0.0.1:8080` or `shop.example=http://127.0.0.1:8080` items. Throws CONFIG_INVALID. */
export function parseHostMappings(items: readonly string[]): HostMapping[] {
  return items.map((item) => {
    const match = MAPPING.exec(item.trim());
    if (!match)
      throw new PrerenderError('CONFIG_INVALID', {
        reason: `map: ${JSON.stringify(item)} is not public-host[:port]=[http://|https://]address[:port]`,
      });
    const [, host = '', port, scheme, address = '', addressPort] = match;
    return {
      host: host.toLowerCase(),
      port: port === undefined ? null : Number(port),
      scheme: scheme === undefined ? null : scheme.toLowerCase() === 'http' ? 'http' : 'https',
      address: address.replace(/^\[|\]$/g, ''),
      addressPort: addressPort === undefined ? defaultPort(scheme) : Number(addressPort),
    };
  });
}

function defaultPort(scheme: string | undefined): number | null {
  if (scheme === undefined) return null;
  return scheme.toLowerCase() === 'http' ? 80 : 443;
}

/** The mapping of a URL's host and port, or null. One that names the port wins over one that does not. */
export function findMapping(mappings: readonly HostMapping[], host: string, port: number): HostMapping | null {
  const ofHost = mappings.filter((mapping) => mapping.host === host.toLowerCase());
  return ofHost.find((mapping) => coversPort(mapping, port)) ?? ofHost.find((mapping) => mapping.port === null) ?? null;
}

/** A mapping that changes the scheme is met with the other scheme's port once the request has been rewritten. */
function coversPort(mapping: HostMapping, port: number): boolean {
  if (mapping.port === port) return true;
  const ports = [mapping.port, port];
  return mapping.scheme !== null && ports.includes(80) && ports.includes(443);
}
