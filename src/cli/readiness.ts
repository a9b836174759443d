/** The answer of the path that an instance is asked for until it is ready. */
export interface ReadyAnswer {
  status: number;
  text: string;
}

/** The reason of a node that runs and serves nothing, since its `domains` name no host; undefined for any other answer. */
export function noHostReason(answer: ReadyAnswer): string | undefined {
  if (answer.status !== 503) return undefined;
  try {
    const { reason } = JSON.parse(answer.text) as { reason?: unknown };
    return typeof reason === 'string' && reason.includes('`domains`') ? reason : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a node is up: it serves, or would as soon as its configuration names a host, which can be mended live. */
export function isUp(answer: ReadyAnswer): boolean {
  return answer.status === 200 || noHostReason(answer) !== undefined;
}

/** What to do about a node that serves no host. `configFile`: that of `--config`, if any. */
export function noHostAdvice(reason: string, configFile: string | undefined): string {
  const entry = '`domains: [www.example.com]` under `harper-prerender:`';
  const remedy =
    configFile === undefined
      ? `Start with --config FILE that has your hosts, ${entry}, or without --no-shop for the sample shop`
      : `Add your hosts to ${configFile}, ${entry}; it is read again when it changes`;
  return `Harper runs, but ${reason}. ${remedy}.`;
}
