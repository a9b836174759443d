import { PrerenderError } from '../errors.ts';
import type { AdminCall } from './router.ts';

/**
 * A text field of an action's body.
 * @throws PrerenderError BODY_INVALID naming the field, what was given and what is right.
 */
export function textField(call: AdminCall, name: string, fallback?: string): string {
  const value = call.body[name] ?? fallback;
  if (typeof value !== 'string' || value.length > 2_000) {
    throw new PrerenderError('BODY_INVALID', {
      reason: `\`${name}\` has to be a text of at most 2000 characters, not ${JSON.stringify(value)?.slice(0, 100) ?? 'missing'}`,
    });
  }
  return value;
}

/**
 * Refuses fields that an action does not know, so that a misspelt one is not silently ignored.
 * @throws PrerenderError BODY_INVALID
 */
export function onlyFields(call: AdminCall, known: readonly string[]): void {
  for (const name of Object.keys(call.body)) {
    if (!known.includes(name)) {
      throw new PrerenderError('BODY_INVALID', {
        reason: `\`${name}\` is not known here; known are ${known.join(', ')}`,
      });
    }
  }
}

/**
 * A whole number of an action's body.
 * @throws PrerenderError BODY_INVALID naming the field, the bounds and what was given.
 */
export function numberField(
  call: AdminCall,
  name: string,
  { fallback, min, max }: { fallback: number; min: number; max: number },
): number {
  const value = call.body[name] ?? fallback;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  const given = JSON.stringify(value).slice(0, 60);
  throw new PrerenderError('BODY_INVALID', {
    reason: `\`${name}\` has to be a whole number from ${min} to ${max}, not ${given}`,
  });
}
