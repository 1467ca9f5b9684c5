import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { findExternalPostgres, findNatsServer, findPgBouncer } from '@chatd/test-server/programs';
import { stage } from './stage.ts';

interface SystemPackage {
  readonly name: string;
  readonly reason: string;
  present(): Promise<boolean>;
  /** A service of the package to disable, because tests start their own. */
  readonly service?: string;
  /** Required only by `npm run test:all`. */
  readonly forAll?: true;
}

const SYSTEM_PACKAGES: readonly SystemPackage[] = [
  {
    name: 'postgresql',
    reason: 'the suites that run against a PostgreSQL other than the embedded one',
    present: async () => (await findExternalPostgres()) !== undefined,
  },
  {
    name: 'pgbouncer',
    reason: 'the suite of connection poolers',
    present: () => Promise.resolve(findPgBouncer() !== undefined),
    service: 'pgbouncer.service',
  },
  {
    name: 'bubblewrap',
    reason: 'the sandbox of workspaces, and the suites that attack it',
    present: () => Promise.resolve(onPath('bwrap')),
  },
  {
    name: 'slirp4netns',
    reason: 'workspaces with internet access, and the suite that attacks them',
    present: () => Promise.resolve(onPath('slirp4netns')),
  },
  {
    name: 'ripgrep',
    reason: 'the suite that searches files with it',
    present: () => Promise.resolve(onPath('rg')),
  },
  {
    name: 'chromium',
    reason: 'the suites that use the web UI and the SDK in a browser',
    present: () => Promise.resolve(onPath('chromium')),
  },
  {
    name: 'tmux',
    reason: 'the suites of the terminal client, which type and read in a real terminal',
    present: () => Promise.resolve(onPath('tmux')),
  },
  {
    name: 'nats-server',
    reason: 'the suites of the bus on NATS',
    present: async () => findNatsServer() !== undefined,
    service: 'nats-server.service',
  },
  {
    name: 'git',
    reason: 'the suites of workspaces, of the docs and of upgrades',
    present: () => Promise.resolve(onPath('git')),
  },
  {
    name: 'jq',
    reason: 'the commands of the docs that take answers apart',
    present: () => Promise.resolve(onPath('jq')),
  },
  {
    name: 'iproute2',
    reason: 'the networks in which the commands of the docs are run',
    present: () => Promise.resolve(onPath('ip')),
  },
  {
    name: 'curl',
    reason: 'the commands of the docs that call the API',
    present: () => Promise.resolve(onPath('curl')),
  },
  ...[
    ['tigervnc-standalone-server', 'Xvnc', 'the desktops of agents, and the suites that use them'],
    ['openbox', 'openbox', 'the windows of those desktops'],
    ['tint2', 'tint2', 'the panel of those desktops'],
    ['hsetroot', 'hsetroot', 'the background of those desktops'],
    ['xterm', 'xterm', 'the program that the suites of desktops open'],
    ['ffmpeg', 'ffmpeg', 'the suite of recordings'],
  ].map(([name = '', program = '', reason = '']) => ({
    name,
    reason,
    present: () => Promise.resolve(onPath(program)),
  })),
  {
    name: 'xfonts-base',
    reason: 'the suites that read what stands on a desktop',
    present: () => Promise.resolve(existsSync('/usr/share/fonts/X11/misc/fonts.dir')),
  },
  ...[
    ['debootstrap', 'debootstrap', 'the suites that install chatd on a bare Debian'],
    ['buildah', 'buildah', 'the suite that builds the image'],
    ['prometheus', 'prometheus', 'the suites of the alerts and the dashboard'],
    ['nginx-light', 'nginx', 'the suite of the proxy'],
    ['systemd', 'systemd-analyze', 'the suite of the systemd units'],
    ['openssh-server', 'sshd', 'the suite that installs machines over SSH'],
  ].map(([name = '', program = '', reason = '']) => ({
    name,
    reason,
    present: () => Promise.resolve(onPath(program)),
    forAll: true as const,
    ...(['prometheus', 'nginx-light'].includes(name) && { service: `${program}.service` }),
    ...(name === 'openssh-server' && { service: 'ssh.service' }),
  })),
];

const onPath = (program: string) =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));

/**
 * Installs missing system packages with apt-get if running as root, otherwise lists them. A failure only affects the
 * suites that need the packages.
 */
export async function ensureSystemPackages({ all = false } = {}): Promise<void> {
  const missing: SystemPackage[] = [];
  for (const candidate of SYSTEM_PACKAGES) {
    if (candidate.forAll === true && !all) continue;
    if (!(await candidate.present())) missing.push(candidate);
  }
  if (missing.length === 0) return;
  if (process.geteuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    await install(missing);
    return;
  }
  for (const { name, reason } of missing) console.log(`missing: ${name}, required by ${reason}`);
  const names = missing.map(({ name }) => name).join(' ');
  console.log(`These tests fail or are skipped. Install with: sudo apt-get install ${names}`);
}

/** Prevents Debian packages from creating a database cluster and starting services. */
const NO_MAIN_CLUSTER = '/etc/postgresql-common/createcluster.d/chatd-tests.conf';
const NO_SERVICES = '/usr/sbin/policy-rc.d';

async function install(packages: readonly SystemPackage[]): Promise<void> {
  const names = packages.map(({ name }) => name);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) => ({
    program: 'apt-get',
    args: ['-q', '-y', '-o', 'DPkg::Lock::Timeout=300', ...args],
    env,
  });
  await mkdir(dirname(NO_MAIN_CLUSTER), { recursive: true });
  await writeFile(NO_MAIN_CLUSTER, 'create_main_cluster = false\n');
  // Keep an existing policy.
  const decided = existsSync(NO_SERVICES);
  if (!decided) await writeFile(NO_SERVICES, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  const services = packages.flatMap(({ service }) => service ?? []);
  console.log(
    'chatd: installing system packages for tests with apt-get (first run; takes minutes)',
  );
  try {
    await stage(`installing ${names.join(', ')} with apt-get`, [
      apt('update'),
      apt('install', '--no-install-recommends', ...names),
      ...(existsSync('/usr/bin/systemctl') && services.length > 0
        ? [{ program: 'systemctl', args: ['disable', ...services] }]
        : []),
    ]);
  } finally {
    await rm(NO_MAIN_CLUSTER, { force: true });
    if (!decided) await rm(NO_SERVICES, { force: true });
  }
}
