/* The programs in bench/peers. Those with a package.json have their own dependencies, which are installed on demand. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedVersions } from '../report/versions.ts';

const FOLDER = join(import.meta.dirname, '..', 'peers');

interface Peer {
  /** Packages whose versions the report lists, by label. */
  readonly packages: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Its server connects to a host on the internet at startup, so it runs only if `--only` names it. */
  readonly onlyByName?: true;
}

export const PEERS: Readonly<Record<string, Peer>> = {
  baseline: { packages: {} },
  aisdk: { packages: { 'AI SDK': 'ai' } },
  handwritten: { packages: {} },
  dbos: { packages: { DBOS: '@dbos-inc/dbos-sdk' } },
  langgraph: {
    packages: {
      LangGraph: '@langchain/langgraph',
      'LangGraph PostgresSaver': '@langchain/langgraph-checkpoint-postgres',
    },
    env: { LANGSMITH_TRACING: 'false' },
  },
  mastra: {
    packages: { Mastra: '@mastra/core', 'Mastra PostgreSQL store': '@mastra/pg' },
    env: { MASTRA_TELEMETRY_DISABLED: '1' },
  },
  restate: {
    packages: { Restate: '@restatedev/restate-server' },
    env: { RESTATE_LOGGING: 'ERROR' },
    onlyByName: true,
  },
};

const hasPackages = (name: string) => existsSync(join(FOLDER, name, 'package.json'));

export const entryOf = (name: string): string =>
  hasPackages(name) ? join(FOLDER, name, 'server.ts') : join(FOLDER, `${name}.ts`);

/** Installs the packages of a peer, unless the installed ones match its lock file. */
export function installPeer(name: string): void {
  if (!hasPackages(name)) return;
  const cwd = join(FOLDER, name);
  const lock = readFileSync(join(cwd, 'package-lock.json'), 'utf8');
  const stamp = join(cwd, 'node_modules', '.installed-lock.json');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.error(`installing the packages of bench/peers/${name}`);
  // No peer needs an install script.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ci failed in bench/peers/${name}: ${stderr}`);
  writeFileSync(stamp, lock);
}

export function peerVersions(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const wanted = Object.entries(PEERS[name]?.packages ?? {});
      const packages = wanted.map(([, packageName]) => packageName);
      const versions = hasPackages(name) ? pinnedVersions(name) : installedVersions(...packages);
      return wanted.map(([label, packageName]) => [label, versions[packageName] ?? 'unknown']);
    }),
  );
}

function pinnedVersions(name: string): Readonly<Record<string, string>> {
  const manifest = readFileSync(join(FOLDER, name, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { dependencies: Record<string, string> }).dependencies;
}
