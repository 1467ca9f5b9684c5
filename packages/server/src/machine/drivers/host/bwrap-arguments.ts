import { dirname } from 'node:path';
import type { Directories } from './directories.ts';
import { INSIDE } from './directories.ts';
import type { ToolFiles } from './tool-files.ts';

/** The parts of the host to mount. Computed once by `systemOf`. */
export interface System {
  /** Folders with programs, or links to such folders and their targets. */
  readonly programs: readonly { readonly path: string; readonly link: string | undefined }[];
  /** Entries of /etc that programs need and that contain no secrets. */
  readonly etc: readonly string[];
}

export interface BwrapOptions extends ToolFiles {
  readonly directories: Directories;
  readonly system: System;
  readonly env: Readonly<Record<string, string>>;
  /** `shared`: the network namespace of the process that starts bubblewrap. */
  readonly network: 'own' | 'shared';
  /** The socket of the egress proxy. Undefined: no proxy. */
  readonly proxySocket: string | undefined;
  /** Mounted under the same path. */
  readonly readOnly: readonly string[];
  /** Never visible inside, even if a mounted folder contains them. */
  readonly hidden: readonly string[];
  readonly disableUserNamespaces: boolean;
  readonly blockFd: number;
  readonly infoFd: number;
  readonly seccompFd: number | undefined;
}

const SHARED_MEMORY = 64 * 1024 * 1024;
const DISPLAY_MEMORY = String(1024 * 1024);

/** The arguments of bubblewrap, before the command. Nothing else of the host is visible inside. */
export function bwrapArguments(sandbox: BwrapOptions): string[] {
  const { directories, system, network, env } = sandbox;
  return [
    ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
    ['--unshare-cgroup-try'],
    network === 'own' ? ['--unshare-net'] : [],
    sandbox.disableUserNamespaces ? ['--disable-userns'] : [],
    ['--die-with-parent', '--new-session', '--hostname', 'workspace', '--clearenv'],
    Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    system.programs.flatMap(({ path, link }) =>
      link === undefined ? ['--ro-bind', path, path] : ['--symlink', link, path],
    ),
    system.etc.flatMap(readOnly),
    ['--ro-bind', sandbox.passwd, '/etc/passwd', '--ro-bind', sandbox.group, '/etc/group'],
    ['--ro-bind', sandbox.hosts, '/etc/hosts'],
    network === 'shared' ? ['--ro-bind', sandbox.resolvConf, '/etc/resolv.conf'] : [],
    ['--proc', '/proc', '--dev', '/dev'],
    ['--size', String(SHARED_MEMORY), '--perms', '1777', '--tmpfs', '/dev/shm'],
    ['--ro-bind', sandbox.script, `${INSIDE.tools}/inside`],
    ['--ro-bind', sandbox.node, `${INSIDE.tools}/node`],
    sandbox.proxySocket === undefined ? [] : ['--ro-bind', sandbox.proxySocket, INSIDE.proxySocket],
    ['--bind', directories.tmp, '/tmp', '--bind', directories.home, INSIDE.home],
    ['--bind', directories.files, INSIDE.root],
    ['--size', DISPLAY_MEMORY, '--perms', '0700', '--tmpfs', INSIDE.display],
    ['--size', DISPLAY_MEMORY, '--perms', '1777', '--tmpfs', INSIDE.xSockets],
    sandbox.readOnly.flatMap(readOnly),
    sandbox.hidden.flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
    ['--remount-ro', '/dev', '--remount-ro', '/'],
    ['--chdir', INSIDE.root],
    sandbox.seccompFd === undefined ? [] : ['--seccomp', String(sandbox.seccompFd)],
    ['--info-fd', String(sandbox.infoFd), '--block-fd', String(sandbox.blockFd)],
  ].flat();
}

const readOnly = (path: string) => ['--ro-bind', path, path];

/** The hidden folders that lie below a mounted one. */
export function hiddenIn(system: System, more: readonly string[], folders: readonly string[]) {
  const mounted = new Set([...system.programs.map(({ path }) => path), ...system.etc, ...more]);
  return folders.filter((folder) => ancestors(folder).some((path) => mounted.has(path)));
}

function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...ancestors(parent)];
}
