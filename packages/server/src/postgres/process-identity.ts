import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { codeOf } from './error-code.ts';

/** A zombie counts as dead: in containers, process 1 may never reap it. */
export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false;
  }
  return !isZombie(pid);
}

function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return ps(pid, 'stat=').startsWith('Z');
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the name in parentheses and may contain any characters.
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return true;
  }
}

/** An exiting process loses its memory, and with it its command line, shortly before it ends. */
export function isExiting(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return isAlive(pid) && readFileSync(`/proc/${pid}/cmdline`).length === 0;
  } catch {
    return false;
  }
}

/** A pid alone is not enough: after a reboot or in a new container it may be another process. */
export function isPostmasterOf(pid: number, clusterDir: string): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') {
    const command = ps(pid, 'command=');
    return command.includes('postgres') && `${command} `.includes(` -D ${clusterDir} `);
  }
  try {
    const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    if (basename(argv[0] ?? '') !== 'postgres') return false;
    if (argv[argv.indexOf('-D') + 1] === clusterDir) return true;
  } catch {
    return false;
  }
  try {
    // The working directory of a postmaster is its data directory, even if that was moved.
    return readlinkSync(`/proc/${pid}/cwd`) === clusterDir;
  } catch {
    return false;
  }
}

function ps(pid: number, format: string): string {
  try {
    return execFileSync('ps', ['-ww', '-o', format, '-p', String(pid)], {
      encoding: 'utf8',
    }).trim();
  } catch {
    return '';
  }
}
