import type { Outcome, Row } from '../row.ts';
import { type Cluster, withCluster } from '../cluster.ts';
import { makeNextVersion } from './next-version.ts';

const TURNS = 4;
const MORE = '9001_more';
const LESS = '9002_less';
const MIGRATIONS = {
  [MORE]: 'CREATE TABLE old_things (id int);',
  [LESS]: '-- Nobody reads it since 9001.\n-- contract: 9001\nDROP TABLE old_things;',
};

/** Two replicas become two of the next version, which takes something away that these may use. */
export const takingAway: Row = {
  name: 'a migration that takes something away',
  mustHold: 'it waits for older replicas that live, and for nobody else; chats go on meanwhile',
  run: async ({ bus, postgres, say }) => {
    const next = await makeNextVersion(MIGRATIONS);
    try {
      return await withCluster({ bus, postgres }, async (cluster) => {
        const { deployment } = cluster;
        const [first, second] = deployment.members;
        if (first === undefined || second === undefined) throw new Error('there are two replicas');
        const load = await cluster.load({ conversations: 4 });
        await cluster.progress(load, TURNS);

        await first.replica.stop();
        await deployment.replace(first, next);
        say('one replica is new');
        await cluster.progress(load, TURNS);
        cluster.expect(await isApplied(cluster, MORE), 'what only adds was not applied');
        cluster.expect(!(await isApplied(cluster, LESS)), 'it did not wait for the older replica');

        // Longer than a lease: a replica that is heard of is not forgotten.
        say('the older one lives on');
        await heardOfAgain(cluster, second.workerId);
        cluster.expect(!(await isApplied(cluster, LESS)), 'it did not go on waiting');

        say('the older one is killed');
        await second.replica.kill();
        await cluster.eventually('it is applied when nobody is left who would miss it', () =>
          isApplied(cluster, LESS),
        );
        const late = await deployment.join({}).catch((error: unknown) => String(error));
        cluster.expect(
          typeof late === 'string' && late.includes('migrated by a newer chatd'),
          `an older replica that comes too late: ${typeof late === 'string' ? late : 'it started'}`,
        );
        await deployment.replace(second, next);
        await cluster.progress(load, TURNS);
        const problems = await cluster.verdict(TURNS * 3);
        return { figure: `${load.answered} turns`, problems } satisfies Outcome;
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

/** The new replica has looked for it several times, and it has said several times that it lives. */
async function heardOfAgain(cluster: Cluster, worker: string): Promise<void> {
  const heard = async () => {
    const [row] = await cluster.deployment.witness.query<{ at: number }>(
      'SELECT extract(epoch FROM heartbeat_at)::float8 AS at FROM workers WHERE id = $1',
      [worker],
    );
    return row?.at ?? 0;
  };
  const since = await heard();
  await cluster.eventually('the older replica is heard of for some time', async () => {
    return (await heard()) - since > 12;
  });
}
