/** Results of one route in one thread: the last `size` of them, and the usual share of verdicts over a longer time. */
export interface RouteWindow {
  /** Takes in a result; answers whether the share of verdicts has jumped. */
  add(isVerdict: boolean, limits: { size: number; share: number }): boolean;
  /** Starts anew, keeping the usual share. */
  clear(): void;
  share(): number;
}

/** How many windows the usual share looks back over. */
const USUAL_OVER_WINDOWS = 10;
/** Judged from this part of a window on. */
const LEAST_PART = 0.4;
const JUMP_FACTOR = 2;

export function createRouteWindow(): RouteWindow {
  let recent: boolean[] = [];
  let verdicts = 0;
  let usual = 0;
  const share = (): number => (recent.length === 0 ? 0 : verdicts / recent.length);
  return {
    share,
    clear: () => {
      recent = [];
      verdicts = 0;
    },
    add: (isVerdict, limits) => {
      recent.push(isVerdict);
      if (isVerdict) verdicts++;
      while (recent.length > limits.size) if (recent.shift()) verdicts--;
      const least = Math.max(recent.length, limits.size * LEAST_PART);
      const jumped = isVerdict && verdicts > limits.share * least && verdicts / least >= JUMP_FACTOR * usual;
      // While it jumps, the usual share must not learn that this is usual.
      if (!jumped) usual += ((isVerdict ? 1 : 0) - usual) / (limits.size * USUAL_OVER_WINDOWS);
      return jumped;
    },
  };
}
