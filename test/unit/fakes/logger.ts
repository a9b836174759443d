import type { Logger } from '../../../src/harper/logger.ts';

export interface RecordingLogger extends Logger {
  readonly lines: string[];
}

/** A logger that keeps what it was told, as `level: message`. */
export function recordingLogger(): RecordingLogger {
  const lines: string[] = [];
  const log = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  return { lines, error: log('error'), warn: log('warn'), info: log('info'), debug: log('debug') };
}
