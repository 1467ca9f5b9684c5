import { spawnSync } from 'node:child_process';

/**
 * Separate namespaces for a page: its network has only a loopback, with all ports free, and its processes end with its
 * shell. The first variant that the system supports is used.
 */
const OWN = ['--net', '--ipc', '--pid', '--fork', '--kill-child', '--mount-proc'];
const WAYS: readonly (readonly string[])[] = [
  ['unshare', ...OWN],
  ['unshare', '--user', '--map-current-user', '--keep-caps', ...OWN],
];

const LOOPBACK_UP = 'ip link set lo up';

let found: readonly string[] | undefined;

/** Command prefix that creates the namespaces. Empty if the system does not support them. */
export function isolation(): readonly string[] {
  found ??=
    WAYS.find(([program = '', ...args]) => {
      const tried = spawnSync(program, [...args, 'sh', '-c', LOOPBACK_UP], { stdio: 'ignore' });
      return tried.status === 0;
    })?.concat(['sh', '-c', `${LOOPBACK_UP} && exec "$@"`, 'sh']) ?? [];
  return found;
}
