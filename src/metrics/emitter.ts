import type { RecordAnalytics } from '../harper/analytics.ts';
import { METRICS, type MetricDescriptor, type MetricKey } from './catalog.ts';

/**
 * The only way to emit a metric. Dimensions must come from bounded sets: never a URL, and bot names only after
 * `boundName`, since every combination costs a row per minute.
 */
export interface Metrics {
  /** Counts one event of a `count` metric; dimensions in the order of its `slots`. */
  count(key: MetricKey, a?: string, b?: string, c?: string): void;
  /** Records a value of a `distribution` or `gauge` metric, in its unit. */
  value(key: MetricKey, value: number, a?: string, b?: string, c?: string): void;
}

/** Emits to Harper's analytics; a failure there never reaches the caller. */
export function createMetrics(record: RecordAnalytics, onError: (error: unknown) => void): Metrics {
  const emit = (value: number | boolean, key: MetricKey, a?: string, b?: string, c?: string): void => {
    try {
      const { name }: MetricDescriptor = METRICS[key];
      record(value, name, a, b, c);
    } catch (error) {
      onError(error);
    }
  };
  return {
    count: (key, a, b, c) => emit(true, key, a, b, c),
    value: (key, value, a, b, c) => emit(value, key, a, b, c),
  };
}
