import { parseArgs } from 'node:util';
import { CONTROL_PATH } from './control.ts';
import { startShop, type ShopOptions } from './shop.ts';

const HELP = `Usage: tsx test/shop/main.ts [flags]

  --port N               port to listen on, 0 for a free one (default 0)
  --host ADDRESS         address to listen on (default 127.0.0.1)
  --products N           size of the assortment (default 200)
  --public-origin URL    origin that canonicals, sitemaps and JSON-LD name (default its own address)
  --seed N               another seed, other products (default 1)
  --canonical-in WHERE   server or script (default server)
  --script-delay-ms N    how long the page's script waits (default 100)

Prints one JSON line {"origin", "control"} when it is ready, and serves until SIGTERM or SIGINT.
`;

/** Reads the flags. Throws an Error that says which flag is wrong and what would be right. */
function readFlags(args: string[]): ShopOptions | 'help' {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      port: text,
      host: text,
      products: text,
      'public-origin': text,
      seed: text,
      'canonical-in': text,
      'script-delay-ms': text,
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return 'help';
  const whole = (name: 'port' | 'products' | 'seed' | 'script-delay-ms', most: number): number | undefined => {
    const value = values[name];
    if (value === undefined) return undefined;
    if (!/^\d{1,10}$/.test(value) || Number(value) > most) {
      throw new Error(`--${name} is "${value}"; it must be a whole number from 0 to ${most}`);
    }
    return Number(value);
  };
  const canonicalIn = values['canonical-in'];
  if (canonicalIn !== undefined && canonicalIn !== 'server' && canonicalIn !== 'script') {
    throw new Error(`--canonical-in is "${canonicalIn}"; it must be server or script`);
  }
  const given = values['public-origin'];
  if (given !== undefined && (!URL.canParse(given) || new URL(given).origin !== given)) {
    throw new Error(`--public-origin is "${given}"; it must be scheme and host alone, e.g. https://shop.example`);
  }
  return {
    port: whole('port', 65_535),
    host: values.host,
    products: whole('products', 10_000_000),
    seed: whole('seed', 2 ** 32),
    publicOrigin: given,
    canonicalIn,
    scriptDelayMs: whole('script-delay-ms', 600_000),
  };
}

async function main(): Promise<void> {
  const options = readFlags(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(HELP);
    return;
  }
  const shop = await startShop(options);
  const stop = (): void => void shop.stop().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.stdout.write(`${JSON.stringify({ origin: shop.origin, control: shop.origin + CONTROL_PATH })}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(2);
});
