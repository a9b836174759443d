import { readFileSync, readdirSync } from 'node:fs';

/** A live process of a group. */
export interface GroupMember {
  pid: number;
  /** The command line holds `--type=renderer`. */
  isRenderer: boolean;
}

/** The live (not zombie) processes of a group, from /proc; empty where there is no /proc. */
export function groupMembers(groupId: number): GroupMember[] {
  const members: GroupMember[] = [];
  for (const entry of listProc()) {
    const stat = readProc(`${entry}/stat`);
    // The name in parentheses may hold anything, so fields are counted from its end: state, parent, group.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(fields[2]) !== groupId || fields[0] === 'Z' || fields[0] === 'X') continue;
    members.push({ pid: Number(entry), isRenderer: readProc(`${entry}/cmdline`).includes('--type=renderer') });
  }
  return members;
}

/** Anonymous memory of a process in bytes; 0 when it is gone. */
export function anonymousMemory(pid: number): number {
  const match = /^RssAnon:\s+(\d+) kB/m.exec(readProc(`${pid}/status`));
  return match ? Number(match[1]) * 1024 : 0;
}

/**
 * SIGKILL to the process, or to the whole group with a negative id. One that is gone already is fine; so is one of
 * another user, which got its id after ours had gone.
 */
export function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

function listProc(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
}
