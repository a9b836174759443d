/** What a part may say to the operator. Messages are one line; never a secret, never a whole body. */
export interface Logger {
  error(message: string): void;
  warn(message: string): void;
  info(message: string): void;
  debug(message: string): void;
}
