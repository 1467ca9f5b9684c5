import { spawnSync } from 'node:child_process';

/**
 * Namespaces of a page's own: its network is its loopback alone, on which every port is free, and its processes end
 * with its shell. The first of these that the system lets us have.
 */
const OWN = ['--net', '--ipc', '--pid', '--fork', '--kill-child', '--mount-proc'];
const WAYS: readonly (readonly string[])[] = [
  ['unshare', ...OWN],
  ['unshare', '--user', '--map-current-user', '--keep-caps', ...OWN],
];

const LOOPBACK_UP = 'ip link set lo up';

let found: readonly string[] | undefined;

/** The words to put before a command: it then runs in namespaces of its own. Empty where that cannot be done. */
export function isolation(): readonly string[] {
  found ??=
    WAYS.find(([program = '', ...args]) => {
      const tried = spawnSync(program, [...args, 'sh', '-c', LOOPBACK_UP], { stdio: 'ignore' });
      return tried.status === 0;
    })?.concat(['sh', '-c', `${LOOPBACK_UP} && exec "$@"`, 'sh']) ?? [];
  return found;
}
