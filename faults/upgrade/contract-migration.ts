import { type Cluster, withCluster } from '../cluster.ts';
import { makeNextVersion } from './next-version.ts';
import type { Upgrade } from './upgrade.ts';

const TURNS = 4;
const EXPAND = '9001_expand';
const CONTRACT = '9002_contract';
const MIGRATIONS = {
  [EXPAND]: 'CREATE TABLE unused (id int);',
  [CONTRACT]: '-- Unused since 9001.\n-- contract: 9001\nDROP TABLE unused;',
};

/** Upgrades two replicas to a version that drops a table of the old one. */
export const contractMigration: Upgrade = {
  name: 'contract migration',
  guarantee: 'the migration waits for live older replicas only; chats continue meanwhile',
  run: async ({ bus, postgres, log }) => {
    const next = await makeNextVersion(MIGRATIONS);
    try {
      return await withCluster({ bus, postgres }, async (cluster) => {
        const { deployment } = cluster;
        const [first, second] = deployment.members;
        if (first === undefined || second === undefined) throw new Error('two replicas expected');
        const load = await cluster.load({ conversations: 4 });
        await cluster.progress(load, TURNS);

        await first.replica.stop();
        await deployment.replace(first, next);
        log('first replica upgraded');
        await cluster.progress(load, TURNS);
        cluster.expect(await isApplied(cluster, EXPAND), 'the expand migration is missing');
        cluster.expect(!(await isApplied(cluster, CONTRACT)), 'did not wait for the older replica');

        // Longer than a lease: a replica with heartbeats still counts.
        log('waiting while the older replica is alive');
        await waitForHeartbeats(cluster, second.workerId);
        cluster.expect(
          !(await isApplied(cluster, CONTRACT)),
          'stopped waiting for the older replica',
        );

        log('killing the older replica');
        await second.replica.kill();
        await cluster.eventually('contract migration after the last older replica ended', () =>
          isApplied(cluster, CONTRACT),
        );
        const late = await deployment.join({}).catch((error: unknown) => String(error));
        cluster.expect(
          typeof late === 'string' && late.includes('migrated by a newer chatd'),
          `an older replica after the migration: ${typeof late === 'string' ? late : 'started'}`,
        );
        await deployment.replace(second, next);
        await cluster.progress(load, TURNS);
        const { problems } = await cluster.check(TURNS * 3);
        return { figure: `${load.answered} turns`, problems };
      });
    } finally {
      await next.remove();
    }
  },
};

async function isApplied({ deployment }: Cluster, label: string): Promise<boolean> {
  const version = Number.parseInt(label, 10);
  const rows = await deployment.witness.query(
    'SELECT FROM schema_migrations WHERE version = $1::int',
    [version],
  );
  return rows.length > 0;
}

/** Waits for several heartbeats, and several checks of the new replica. */
async function waitForHeartbeats(cluster: Cluster, worker: string): Promise<void> {
  const heartbeat = async () => {
    const [row] = await cluster.deployment.witness.query<{ at: number }>(
      'SELECT extract(epoch FROM heartbeat_at)::float8 AS at FROM workers WHERE id = $1',
      [worker],
    );
    return row?.at ?? 0;
  };
  const since = await heartbeat();
  await cluster.eventually('12 seconds of heartbeats of the older replica', async () => {
    return (await heartbeat()) - since > 12;
  });
}
