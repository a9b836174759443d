import { describe, expect, it } from 'vitest';
import { findMapping, parseHostMappings } from '../../../src/worker/host-mapping.ts';

describe('host mappings', () => {
  it('are read in every form', () => {
    expect(parseHostMappings(['Shop.Example=127.0.0.1:8080', 'a:8443=http://10.0.0.1', '[::1]:1=[::2]:3'])).toEqual([
      { host: 'shop.example', port: null, scheme: null, address: '127.0.0.1', addressPort: 8080 },
      { host: 'a', port: 8443, scheme: 'http', address: '10.0.0.1', addressPort: 80 },
      { host: '[::1]', port: 1, scheme: null, address: '::2', addressPort: 3 },
    ]);
    for (const bad of ['', 'a=', '=b', 'a=b/c', 'a=ftp://b', 'a b=c'])
      expect(() => parseHostMappings([bad]), bad).toThrow('map:');
  });

  it('that name the port win, and none answers for another host or port', () => {
    const mappings = parseHostMappings(['a=x:1', 'a:444=x:2', 'b:80=x:3']);
    expect(findMapping(mappings, 'A', 443)?.addressPort).toBe(1);
    expect(findMapping(mappings, 'a', 444)?.addressPort).toBe(2);
    expect(findMapping(mappings, 'b', 443)).toBeNull();
    expect(findMapping(mappings, 'sub.a', 443)).toBeNull();
  });
});
