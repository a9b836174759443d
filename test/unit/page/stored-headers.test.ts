import { describe, expect, it } from 'vitest';
import { selectStoredHeaders } from '../../../src/page/stored-headers.ts';

describe('the headers that are stored with a page', () => {
  it('are those of the allow-list, in lower case', () => {
    const kept = selectStoredHeaders({
      'Content-Type': 'text/html',
      'X-Robots-Tag': 'noarchive',
      Location: '/x',
      'Set-Cookie': 's=1',
      ETag: '"o"',
      'Cache-Control': 'public',
      'Content-Encoding': 'gzip',
      'Transfer-Encoding': 'chunked',
      Vary: 'Cookie',
    });
    expect(kept).toEqual({ 'content-type': 'text/html', 'x-robots-tag': 'noarchive', location: '/x' });
  });

  it('are left out when they cannot be sent: line breaks, other alphabets, endless ones', () => {
    expect(
      selectStoredHeaders({ link: 'a\r\nset-cookie: s=1', location: '/\u4e2d', 'retry-after': '1'.repeat(5_000) }),
    ).toEqual({});
  });
});
