/** Binary attributes of rows: small ones lie in the record, larger ones in a file. */
export interface Blobs {
  create(content: Buffer): Blob;
  /** @throws Error when the file is missing or cannot be read. Has no time limit: race it against one. */
  read(blob: Blob): Promise<Buffer>;
}
