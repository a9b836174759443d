/** Exponential wait after the `failures`-th failure in a row, in ms, between half of it and all of it as `random` (0 to 1) decides. */
export function backoffDelay(
  failures: number,
  limits: { readonly initial: number; readonly max: number },
  cadence: number,
  random: number,
): number {
  const longest = Math.min(limits.max, Math.max(cadence, limits.initial));
  const wait = Math.min(longest, limits.initial * 2 ** Math.min(Math.max(failures - 1, 0), 40));
  return Math.round(wait * (0.5 + 0.5 * random));
}
