import type { Clock, Timer } from '../harper/clock.ts';
import { hashText, mix } from './hash.ts';

/** What residency is made from. */
export interface ResidencyOptions {
  /** Hostname of this node. */
  readonly self: string;
  /** `name` of each element of `server.nodes`, as it is at the moment; partial during boot, may hold missing names. */
  readonly nodeNames: () => readonly (string | undefined | null)[];
  readonly clock: Clock;
  /** Ms that the list must have stayed the same before it is trusted; default 3,000. */
  readonly stableMs?: number;
}

/** Which node owns a URL: schedules, leases and probes it (design.md §4). */
export interface Residency {
  readonly self: string;
  /** Own hostname and the known others, sorted. */
  known(): readonly string[];
  /** The same on every node that knows the same nodes. */
  ownerOf(url: string): string;
  owns(url: string): boolean;
  /** Whether the list of nodes has settled: before that nothing may be claimed and no row re-homed. */
  isStable(): boolean;
  /** Ends the watch of the list. */
  stop(): void;
}

const LOOK_EVERY_MS = 500;

/** Watches the list of nodes and answers by rendezvous hashing: a node that leaves moves only its own share. */
export function createResidency(options: ResidencyOptions): Residency {
  const { self, clock } = options;
  const stableMs = options.stableMs ?? 3_000;
  let nodes = knownNodes(self, options.nodeNames());
  let changedAt = clock.now();
  const look = (): void => {
    const next = knownNodes(self, options.nodeNames());
    if (sameNames(next, nodes)) return;
    nodes = next;
    changedAt = clock.now();
  };
  const timer: Timer = clock.every(LOOK_EVERY_MS, look);
  const ownerOf = (url: string): string => highestWeight(url, nodes);
  return {
    self,
    known: () => nodes.map((node) => node.name),
    ownerOf,
    owns: (url) => nodes.length === 1 || ownerOf(url) === self,
    isStable: () => {
      look();
      return clock.now() - changedAt >= stableMs;
    },
    stop: () => timer.stop(),
  };
}

interface KnownNode {
  readonly name: string;
  readonly hash: number;
}

function knownNodes(self: string, names: readonly (string | undefined | null)[]): readonly KnownNode[] {
  const unique = new Set([self, ...names.filter((name): name is string => Boolean(name))]);
  return [...unique].sort().map((name) => ({ name, hash: hashText(name) }));
}

function sameNames(a: readonly KnownNode[], b: readonly KnownNode[]): boolean {
  return a.length === b.length && a.every((node, index) => node.name === b[index]?.name);
}

/** Equal weights go to the first name: the list is sorted, so alike on every node. */
function highestWeight(url: string, nodes: readonly KnownNode[]): string {
  const urlHash = hashText(url);
  let owner = '';
  let best = -1;
  for (const { name, hash } of nodes) {
    const weight = mix(urlHash ^ hash);
    if (weight > best) {
      best = weight;
      owner = name;
    }
  }
  return owner;
}
