/** A bounded map of recent answers, keyed by string. */
export interface GenerationCache<Value> {
  /** The value stored under `key`, kept young by the reading; `undefined` when it is not (or no longer) held. */
  get(key: string): Value | undefined;
  /** Stores a value; may drop the older half of the entries. */
  set(key: string, value: Value): void;
  /** Entries held now, at most the `limit` given. */
  readonly size: number;
}

/**
 * Two maps instead of one ordered list: a hit in the young map is a single `Map.get`, with no relinking, which is why it
 * stands here and not `lru-cache` (one more lookup and two array writes per hit). When the young map is half the limit,
 * it becomes the old one and the previous old one is dropped.
 * Bound: `limit` entries (2 at least). It errs by forgetting: what was not asked for during a whole generation is
 * computed again.
 */
export function createGenerationCache<Value>(limit: number): GenerationCache<Value> {
  const half = Math.max(1, Math.floor(limit / 2));
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();
  const set = (key: string, value: Value): void => {
    if (young.size >= half && !young.has(key)) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  };
  return {
    get(key) {
      const recent = young.get(key);
      if (recent !== undefined) return recent;
      const value = old.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
    get size() {
      return young.size + old.size;
    },
  };
}
