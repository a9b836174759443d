/** Options of a benchmark program. */
interface BenchOptions {
  /** A quick run with small numbers, whose figures are rough. */
  readonly small: boolean;
  /** Rows of the queue, where that is not to be the full million. */
  readonly rows?: number;
}

type Bench = (options: BenchOptions) => Promise<void>;

/** Loaded when asked for, so that one program runs without the others. */
const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  serve: async () => (await import('./serve.ts')).benchServe,
  queue: async () => (await import('./queue.ts')).benchQueue,
  identity: async () => (await import('./identity.ts')).benchIdentity,
  url: async () => (await import('./url.ts')).benchUrl,
};

const USAGE = `npm run bench [${Object.keys(BENCHES).join(' | ')}] [-- --small | --rows=N]`;

/** `npm run bench [name] [-- --small | --rows=N]`: one benchmark program, or all in turn. Exit code 2 for a wrong command line. */
async function main(args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => !arg.startsWith('-'));
  const flags = args.filter((arg) => arg.startsWith('-'));
  const unknownFlag = flags.find((flag) => !/^--(small|help|rows=[1-9]\d{2,7})$/.test(flag));
  const rows = flags.find((flag) => flag.startsWith('--rows='))?.slice('--rows='.length);
  const unknownName = names.find((name) => !Object.hasOwn(BENCHES, name));
  if (unknownFlag !== undefined || unknownName !== undefined) {
    console.error(
      `There is no ${unknownFlag === undefined ? 'benchmark' : 'flag'} ${unknownFlag ?? unknownName}.\n${USAGE}`,
    );
    return 2;
  }
  if (flags.includes('--help')) {
    console.log(USAGE);
    return 0;
  }
  for (const name of names.length > 0 ? names : Object.keys(BENCHES)) {
    console.log(`\n# ${name}`);
    const bench = await BENCHES[name]?.();
    await bench?.({ small: flags.includes('--small'), ...(rows !== undefined && { rows: Number(rows) }) });
  }
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
