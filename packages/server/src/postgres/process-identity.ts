import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { codeOf } from './error-code.ts';

/** A zombie counts as dead: an orphan's entry may stay for ever where process 1 reaps nobody, as in containers. */
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
    // The second field is the name in parentheses, and a name may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return true;
  }
}

/** A pid alone proves nothing: after a reboot or in a new container the same number is some other process. */
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
    // A postmaster stands in its data directory, even when that was moved after its start.
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
