/** An error that a command reports as one line, without a stack, before it ends with `exitCode`. */
export class CliError extends Error {
  /** 2: the command was called wrongly; 1: it could not do what was asked. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}
