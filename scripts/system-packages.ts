import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { findExternalPostgres } from '../packages/server/test/support/external-postgres.ts';
import { stage } from './stage.ts';

interface SystemPackage {
  readonly name: string;
  readonly reason: string;
  present(): Promise<boolean>;
}

const SYSTEM_PACKAGES: readonly SystemPackage[] = [
  {
    name: 'postgresql',
    reason: 'the suites that run against a PostgreSQL other than the embedded one',
    present: async () => (await findExternalPostgres()) !== undefined,
  },
];

/**
 * Installs what tests need from the system, as root where there is apt-get; names it otherwise. Failing to is no
 * reason to stop: only the suites that need it fail, and say so.
 */
export async function ensureSystemPackages(): Promise<void> {
  const missing: SystemPackage[] = [];
  for (const candidate of SYSTEM_PACKAGES) {
    if (!(await candidate.present())) missing.push(candidate);
  }
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name);
  if (process.geteuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    await install(names);
    return;
  }
  for (const { name, reason } of missing) console.log(`missing: ${name}, needed by ${reason}`);
  console.log(`Those will fail. Install with: sudo apt-get install ${names.join(' ')}`);
}

/** Debian's package would create a cluster and start it; we make our own, and leave no server behind. */
const NO_MAIN_CLUSTER = '/etc/postgresql-common/createcluster.d/chatd-tests.conf';

async function install(names: string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) => ({
    program: 'apt-get',
    args: ['-q', '-y', '-o', 'DPkg::Lock::Timeout=300', ...args],
    env,
  });
  await mkdir(dirname(NO_MAIN_CLUSTER), { recursive: true });
  await writeFile(NO_MAIN_CLUSTER, 'create_main_cluster = false\n');
  try {
    await stage(`installing ${names.join(', ')} with apt-get`, [
      apt('update'),
      apt('install', '--no-install-recommends', ...names),
    ]);
  } finally {
    await rm(NO_MAIN_CLUSTER, { force: true });
  }
}
