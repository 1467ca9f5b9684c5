import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { AgentAccount } from './agent-account.ts';

const run = promisify(execFile);

/** Whether bubblewrap works on this host, determined by running it. */
export type SandboxSupport =
  | { readonly works: true; readonly disableUserNamespaces: boolean }
  | { readonly works: false; readonly why: string };

const BASIS = [
  ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net'],
  ['--die-with-parent', '--new-session', '--ro-bind', '/', '/', '--proc', '/proc'],
  ['--dev', '/dev', '--remount-ro', '/'],
].flat();

export async function probeSandbox(account: AgentAccount | undefined): Promise<SandboxSupport> {
  if (process.platform !== 'linux') {
    return { works: false, why: `bubblewrap requires Linux; this is ${process.platform}` };
  }
  const attempt = async (more: readonly string[]) => {
    await run('bwrap', [...BASIS, ...more, '/bin/sh', '-c', ':'], { ...account, cwd: '/' });
  };
  try {
    await attempt(['--disable-userns']);
    return { works: true, disableUserNamespaces: true };
  } catch {
    // Older versions do not know this option.
  }
  try {
    await attempt([]);
    return { works: true, disableUserNamespaces: false };
  } catch (error) {
    return { works: false, why: reason(error) };
  }
}

function reason(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
    return 'bubblewrap (bwrap) is not installed';
  }
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  return stderr === '' ? String(error) : stderr;
}
