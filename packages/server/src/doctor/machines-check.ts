import { hostname } from 'node:os';
import { Client } from 'pg';
import { listMachines, machineReplicas } from '../store/queries/machines.ts';
import type { MachineRow } from '../store/machines.ts';
import { type Statement, valuesOf } from '../store/statement.ts';
import { isOlder, VERSION } from '../version.ts';
import { broken, type Check, type Finding, fromError, ok, warning } from './finding.ts';

const NAME = 'machines';
const MOST = 1000;
const TIMEOUT_MS = 3000;

/** The machines as this replica sees them, and the replicas that hold their connections. */
export const machinesCheck: Check = {
  name: NAME,
  async look({ config, databaseUrl }) {
    if (!config.workspaces.enabled) return [ok(NAME, 'Not needed: CHATD_WORKSPACES=0.')];
    if (databaseUrl === undefined) return [];
    const client = new Client({ connectionString: databaseUrl, application_name: 'chatd doctor' });
    client.on('error', () => undefined);
    const read = async <Params extends object, Row>(
      statement: Statement<Params, Row>,
      params: Params,
    ) => (await client.query(statement.text, valuesOf<object>(statement, params))).rows as Row[];
    try {
      await client.connect();
      const { rows } = await client.query<{ there: boolean }>(
        `SELECT to_regclass('machines') IS NOT NULL AS there`,
      );
      if (rows[0]?.there !== true) return [];
      const machines = await read(listMachines, { after_id: null, limit: MOST });
      const replicas = await read(machineReplicas, { limit: MOST });
      return [
        ...(machines.length === 0
          ? [ok(NAME, 'No machines yet. A server adds its local machine when it starts.')]
          : machineFindings(machines)),
        ...(await Promise.all(replicas.map(replicaFinding))).flat(),
      ];
    } catch (error) {
      return [fromError(NAME, error)];
    } finally {
      await client.end().catch(() => undefined);
    }
  },
};

function machineFindings(machines: readonly MachineRow[]): Finding[] {
  const online = machines.filter((machine) => machine.online);
  const offline = machines.filter((machine) => !machine.online && !machine.draining);
  const older = online.filter(({ version }) => version !== null && isOlder(version, VERSION));
  return [
    online.length > 0
      ? ok(NAME, `Online: ${namesOf(online)}.`)
      : warning(
          NAME,
          'No machine is online. Workspaces cannot be used.',
          'Start the server, or a machine with chatd machine.',
        ),
    ...offline.map(({ name, last_seen_at }) =>
      warning(
        NAME,
        `The machine ${name} is offline${last_seen_at === null ? '; it has never connected' : ` since ${last_seen_at.toISOString()}`}.`,
        `Run chatd doctor --machine on it, or delete it with chatd machines delete ${name}.`,
      ),
    ),
    ...older.map(({ name, version }) =>
      warning(
        NAME,
        `The machine ${name} runs chatd ${version}, which is older than ${VERSION}.`,
        'Upgrade the machine. A server accepts machines of the previous protocol version only.',
      ),
    ),
  ];
}

/** Other replicas forward to the one that holds the connection of a machine. */
async function replicaFinding({
  host,
  internal_url: url,
}: {
  readonly host: string | null;
  readonly internal_url: string;
}): Promise<Finding[]> {
  const elsewhere = host !== null && host !== hostname();
  if (elsewhere && /^\w+:\/\/(?:localhost|127\.|\[::1\])/.test(url)) {
    return [
      broken(
        NAME,
        `The replica on ${host} announces the address ${url}, which other hosts cannot reach.`,
        'Set CHATD_INTERNAL_URL there to an address that all replicas can reach.',
      ),
    ];
  }
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    return [ok(NAME, `The internal address ${url} is reachable.`)];
  } catch {
    return [
      broken(
        NAME,
        `The internal address ${url} of the replica on ${host ?? 'an unknown host'} is not reachable from here.`,
        'Allow connections between replicas, or set CHATD_INTERNAL_URL there.',
      ),
    ];
  }
}

const namesOf = (machines: readonly MachineRow[]): string => {
  const names = machines.slice(0, 5).map(({ name }) => name);
  return names.join(', ') + (machines.length > 5 ? ` and ${machines.length - 5} more` : '');
};
