/* The programs that chatd is compared with. They are in a separate directory, with a harness that measures them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from 'pg';
import type { ServerRow } from '../report/server-data.ts';

/** Labels of the peers, and the packages that determine their versions. */
const PACKAGES: Readonly<Record<string, string>> = {
  'AI SDK': 'ai',
  DBOS: '@dbos-inc/dbos-sdk',
  LangGraph: '@langchain/langgraph',
  'LangGraph PostgresSaver': '@langchain/langgraph-checkpoint-postgres',
  Mastra: '@mastra/core',
  'Mastra PostgreSQL store': '@mastra/pg',
  Restate: '@restatedev/restate-server',
};

export interface PeerReport {
  readonly postgres: string;
  readonly medians: readonly ServerRow[];
  readonly failures: readonly { readonly name: string; readonly message: string }[];
}

/** The imported functions of the harness. */
interface Harness {
  readonly startPostgres: (options: {
    folder: string;
    port: number;
    connect: (url: string) => Promise<Client>;
  }) => Promise<string>;
  readonly stopAll: () => Promise<void>;
}

export const peersThere = (folder: string): boolean => existsSync(join(folder, 'run.mjs'));

export async function loadHarness(folder: string): Promise<Harness> {
  const load = async (file: string) =>
    (await import(pathToFileURL(join(folder, file)).href)) as Harness;
  const { startPostgres } = await load('postgres.mjs');
  const { stopAll } = await load('processes.mjs');
  return { startPostgres, stopAll };
}

/** Versions of the measured peers from their manifests, which pin exact versions. */
export function peerVersions(folder: string, names: readonly string[]): Record<string, string> {
  const manifests = readdirSync(join(folder, 'peers'))
    .filter((name) => names.includes(name))
    // Another peer depends on an older AI SDK, so the AI SDK peer comes first.
    .toSorted((a, b) => Number(b.startsWith('aisdk')) - Number(a.startsWith('aisdk')))
    .map((name) => join(folder, 'peers', name, 'package.json'))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as { dependencies: object });
  const pinned = (name: string) =>
    manifests
      .map(({ dependencies }) => (dependencies as Record<string, string>)[name])
      .find((version) => version !== undefined);
  return Object.fromEntries(
    Object.entries(PACKAGES).flatMap(([label, name]) => {
      const version = pinned(name);
      return version === undefined ? [] : [[label, version]];
    }),
  );
}
