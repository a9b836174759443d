import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from './cli-error.ts';
import { SHOP_PUBLIC_ORIGIN } from './demo-config.ts';
import { inheritedEnvironment } from './harper-environment.ts';
import { packageRoot } from './host-app.ts';
import { startNodeProcess } from './processes.ts';
import type { ManagedProcess } from './processes.ts';

/** The sample shop, running. */
export interface ShopProcess extends ManagedProcess {
  /** Where it listens. */
  readonly origin: string;
  /** Base URL of its control API. */
  readonly control: string;
}

/** What {@link startShopProcess} needs. */
export interface ShopProcessOptions {
  /** 0 (default): a free one. */
  port?: number;
  /** Ms to become ready; default 30,000. */
  limitMs?: number;
  signal?: AbortSignal;
}

/** Starts the sample shop, which exists in the repository alone. Throws CliError when it is absent or does not start. */
export async function startShopProcess(options: ShopProcessOptions = {}): Promise<ShopProcess> {
  const main = join(packageRoot(), 'test', 'shop', 'main.ts');
  if (!existsSync(main)) {
    throw new CliError('The sample shop is not part of the installed package: use --no-shop, with --config FILE', 2);
  }
  const child = startNodeProcess({
    name: 'shop',
    nodeFlags: ['--import', 'tsx'],
    args: [main, '--port', String(options.port ?? 0), '--public-origin', SHOP_PUBLIC_ORIGIN],
    // `tsx` is found from here.
    cwd: packageRoot(),
    env: inheritedEnvironment(),
  });
  try {
    return { ...child, ...(await waitForAddress(child, options)) };
  } catch (error) {
    await child.kill();
    throw error;
  }
}

async function waitForAddress(
  child: ManagedProcess,
  options: ShopProcessOptions,
): Promise<{ origin: string; control: string }> {
  const limitMs = options.limitMs ?? 30_000;
  const end = Date.now() + limitMs;
  while (Date.now() < end && !child.exit()) {
    options.signal?.throwIfAborted();
    const line = child
      .log()
      .split('\n')
      .find((one) => one.startsWith('{"origin"'));
    if (line) return JSON.parse(line) as { origin: string; control: string };
    await delay(50);
  }
  throw new CliError(`The sample shop did not start within ${limitMs} ms. It said:\n${child.log()}`);
}
