#!/usr/bin/env node
import { CliError } from './cli-error.ts';
import { helpText, parseFlags } from './flags.ts';
import { runUntilStopped } from './demo.ts';

async function main(): Promise<number> {
  const flags = parseFlags(process.argv.slice(2));
  if (flags.help) {
    process.stdout.write(helpText());
    return 0;
  }
  return runUntilStopped(flags);
}

main().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    const text = error instanceof CliError ? error.message : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`harper-prerender: ${text}\n`);
    process.exit(error instanceof CliError ? error.exitCode : 1);
  },
);
