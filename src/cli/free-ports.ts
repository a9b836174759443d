import { createServer, connect } from 'node:net';
import { randomInt } from 'node:crypto';
import { CliError } from './cli-error.ts';

// Below the range that systems hand out to outgoing connections, so that a port found free stays free.
const LOWEST = 10_000;
const HIGHEST = 32_000;
const ATTEMPTS = 200;

/** `count` different ports on which nothing listens on any of `addresses`. Throws CliError when none can be found. */
export async function findFreePorts(count: number, addresses: readonly string[]): Promise<number[]> {
  const found = new Set<number>();
  for (let attempt = 0; attempt < ATTEMPTS && found.size < count; attempt++) {
    const port = randomInt(LOWEST, HIGHEST);
    if (!found.has(port) && (await isFreeEverywhere(port, addresses))) found.add(port);
  }
  if (found.size < count) {
    throw new CliError(
      `No ${count} free ports were found on ${addresses.join(', ')}; is the address one of this machine?`,
    );
  }
  return [...found];
}

/** Whether a server could listen on the port of the address now, and nothing answers there. */
export async function isPortFree(port: number, address: string): Promise<boolean> {
  return !(await answers(port, address)) && (await canListen(port, address));
}

async function isFreeEverywhere(port: number, addresses: readonly string[]): Promise<boolean> {
  for (const address of addresses) {
    if (!(await isPortFree(port, address))) return false;
  }
  return true;
}

/** Whether something accepts connections: Harper shares ports without an error, so listening alone proves nothing. */
function answers(port: number, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: address, timeout: 1_000 });
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}

function canListen(port: number, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: address, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
