import { execFile, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { WorkspaceOpenError } from '../driver.ts';
import { type AddressRange, ownAddresses } from '../network/address-policy.ts';
import type { AgentAccount } from './agent-account.ts';

const run = promisify(execFile);

/**
 * The network that slirp4netns creates in a namespace. Host loopback is disabled, so its gateway does not reach this
 * host.
 */
export const USER_NETWORK = {
  device: 'tap0',
  gateway: '10.0.2.2',
  resolver: '10.0.2.3',
  halves: ['10.0.2.0/25', '10.0.2.128/25'],
} as const;

/** Non-public IPv4 ranges, and cloud metadata addresses. The namespace has no IPv6. */
const BLOCKED = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

export type InternetSupport =
  | { readonly works: true }
  | { readonly works: false; readonly why: string };

const TUN = '/dev/net/tun';
const INSTALL = 'Install it (Debian and Ubuntu: apt-get install slirp4netns iproute2).';

/** Whether this host can give a workspace a network namespace with internet access. */
export async function probeInternet(account: AgentAccount | undefined): Promise<InternetSupport> {
  const attempts: readonly [why: string, attempt: () => Promise<unknown>][] = [
    [`slirp4netns is missing. ${INSTALL}`, () => run('slirp4netns', ['--version'])],
    [`ip (iproute2) is missing. ${INSTALL}`, () => run('ip', ['-Version'])],
    [`${TUN} cannot be opened.`, () => access(TUN, constants.R_OK | constants.W_OK)],
    [
      'unshare cannot create a network namespace.',
      () =>
        run('unshare', [...UNSHARE, 'setpriv', ...DROP_CAPABILITIES, 'true'], asAccount(account)),
    ],
  ];
  for (const [why, attempt] of attempts) {
    try {
      await attempt();
    } catch {
      return { works: false, why };
    }
  }
  return { works: true };
}

const UNSHARE = ['--user', '--map-current-user', '--keep-caps', '--net', '--'];
const DROP_CAPABILITIES = ['--ambient-caps=-all', '--inh-caps=-all', '--'];
const asAccount = (account: AgentAccount | undefined) => ({ ...account, cwd: '/' });

interface NamespaceFds {
  /** The script reports here that its namespace exists. */
  readonly ready: number;
  /** The script waits here for the network. */
  readonly go: number;
}

/**
 * Runs the command in its own user and network namespace. A privileged process sets the routes first; the command
 * itself has no capabilities.
 */
export function inNetworkNamespace(
  command: readonly string[],
  privateRanges: readonly AddressRange[],
  { ready, go }: NamespaceFds,
): [program: string, ...args: string[]] {
  const script = `
echo ready >&${ready}; exec ${ready}>&-
read -r _ <&${go} || exit 1; exec ${go}<&-
printf '%s' "$1" | ip -batch - || exit 1
shift
exec setpriv ${DROP_CAPABILITIES.join(' ')} "$@"`;
  return ['unshare', ...UNSHARE, '/bin/sh', '-c', script, 'sh', routes(privateRanges), ...command];
}

/**
 * Routes instead of a packet filter, because they need no kernel module. A test tries to bypass them by binding sockets
 * to the device.
 */
function routes(privateRanges: readonly AddressRange[]): string {
  const { device, gateway, resolver, halves } = USER_NETWORK;
  const own = ownAddresses().filter(isIPv4);
  const allowed = privateRanges.filter(({ address }) => isIPv4(address));
  return [
    ...[...BLOCKED, ...halves, ...own].map((range) => `unreachable ${range}`),
    ...[gateway, resolver].map((address) => `${address}/32 dev ${device}`),
    ...allowed.map(({ address, prefix }) => `${address}/${prefix} via ${gateway}`),
  ]
    .map((route) => `route replace ${route}\n`)
    .join('');
}

export interface NetworkProcess {
  readonly pid: number | undefined;
  close(): void;
}

const READY_FD = 3;
const EXIT_FD = 4;

/** Connects the namespace of a process to the internet until `close`, or until the server ends. */
export async function connectNamespace(pid: number): Promise<NetworkProcess> {
  const child = spawn(
    'slirp4netns',
    [
      ['--configure', '--mtu=65520', '--disable-host-loopback'],
      ['--enable-sandbox', '--enable-seccomp'],
      [`--ready-fd=${READY_FD}`, `--exit-fd=${EXIT_FD}`, String(pid), USER_NETWORK.device],
    ].flat(),
    {
      cwd: '/',
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    },
  );
  const pipes: readonly unknown[] = child.stdio;
  const exitPipe = pipes[EXIT_FD] as Readable;
  exitPipe.on('error', () => undefined);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-1000);
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  (pipes[READY_FD] as Readable).once('data', () => resolve());
  child.once('error', (error) =>
    reject(new WorkspaceOpenError(`slirp4netns failed: ${error.message}`)),
  );
  child.once('exit', () => reject(new WorkspaceOpenError(`slirp4netns failed: ${stderr.trim()}`)));
  await promise;
  return { pid: child.pid, close: () => exitPipe.destroy() };
}
