import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ask, askText, canonicalOf, command } from './raw-request.ts';
import { startShop } from './shop.ts';

const run = (...flags: string[]): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, ['--import', 'tsx', fileURLToPath(new URL('./main.ts', import.meta.url)), ...flags]);

describe('the shop as a process', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'prints one ready line, serves, and stops at once on %s',
    async (signal) => {
      const child = run('--products', '100000', '--public-origin', 'https://shop.example', '--seed', '7');
      try {
        const exited = once(child, 'exit');
        const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
        const first = await lines.next();
        const { origin, control } = JSON.parse(String(first.value)) as { origin: string; control: string };
        expect(control).toBe(`${origin}/__shop`);
        const html = await askText(origin, '/product/prd-100000/x.jsp');
        expect(canonicalOf(html)).toMatch(/^https:\/\/shop\.example\/product\/prd-100000\//);
        await command(origin, 'answer', { path: '/slow', delayMs: 600_000 });
        const slow = expect(ask(origin, '/slow')).rejects.toThrow();
        child.kill(signal);
        expect(await exited).toEqual([0, null]);
        await slow;
        expect((await lines.next()).done).toBe(true);
      } finally {
        child.kill('SIGKILL');
      }
    },
  );

  test.each([
    [['--port', 'x'], '--port is "x"; it must be a whole number from 0 to 65535'],
    [['--public-origin', 'https://shop.example/a'], 'it must be scheme and host alone'],
    [['--canonical-in', 'head'], 'it must be server or script'],
    [['--prodcts', '1'], '--prodcts'],
  ])('%j is refused with the reason', async (flags, reason) => {
    const child = run(...flags);
    let printed = '';
    child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(2);
    expect(printed).toContain(reason);
  });
});

describe('the shop in a test', () => {
  test('two shops of one seed sell the same', async () => {
    const shops = await Promise.all([startShop({ seed: 3 }), startShop({ seed: 3, products: 1000 })]);
    try {
      const [a, b] = shops.map((shop) => shop.product(9));
      expect({ ...a, url: '' }).toEqual({ ...b, url: '' });
      expect(shops[0]?.publicOrigin).toBe(shops[0]?.origin);
    } finally {
      await Promise.all(shops.map((shop) => shop.stop()));
    }
  });

  test('stop cuts slow requests and frees the port', async () => {
    const shop = await startShop({ products: 1 });
    shop.control({ command: 'answer', path: '/slow*', delayMs: 600_000 });
    const slow = Array.from({ length: 20 }, (_, n) => expect(ask(shop.origin, `/slow${n}`)).rejects.toThrow());
    await expect.poll(() => shop.requests().length).toBe(20);
    await shop.stop();
    await Promise.all(slow);
    const again = await startShop({ port: shop.port });
    expect(again.port).toBe(shop.port);
    await again.stop();
  });

  test('a port that is taken is an error', async () => {
    const shop = await startShop({ products: 1 });
    await expect(startShop({ port: shop.port })).rejects.toThrow(/EADDRINUSE/);
    await shop.stop();
  });
});
