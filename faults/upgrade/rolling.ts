import type { Conversation } from '../clients/conversation.ts';
import type { Load } from '../clients/load.ts';
import type { Member } from '../deployment/deployment.ts';
import { type Cluster, withCluster } from '../cluster.ts';
import type { Revision } from './revision.ts';
import type { Upgrade } from './upgrade.ts';

const HELD = 4;
const TURNS = 6;

/**
 * Upgrades two replicas of an earlier version one after the other under load, while viewers move between them. Both
 * versions share the chats meanwhile, and each must continue the work of the other.
 */
export const rollingUpgrade = (old: Revision): Upgrade => ({
  name: `rolling upgrade from ${old.name} (schema ${old.schema.version})`,
  guarantee: 'nothing is lost, repeated, or stuck while two versions share the chats',
  run: ({ bus, postgres, log }) =>
    withCluster({ bus, postgres, version: old }, async (cluster) => {
      const { deployment } = cluster;
      const [first, second] = deployment.members;
      if (first === undefined || second === undefined) throw new Error('two replicas expected');
      const load = await cluster.load({ conversations: 6, turnsPerChat: Infinity });
      // Each chat has a second viewer that takes its cursor from one version to the other.
      for (const { chatId } of load.conversations) {
        cluster.watch(chatId, { disconnectAfter: (connection) => 1 + ((connection * 7) % 9) });
      }
      const figures = new Figures(cluster, load);
      await figures.during('old and old', () => cluster.progress(load, TURNS));

      await expectStopped(cluster, first);
      await deployment.replace(first);
      log(`first replica upgraded; newest migration: ${await newestMigration(cluster)}`);
      await figures.during('old and new', async () => {
        await cluster.progress(load, TURNS);
        await expectSeenFromBoth(cluster, [first, second]);
        await expectClearError(cluster, old, second);
      });

      log('killing the new replica; the old one takes over');
      await killOwner(cluster, first);
      await deployment.replace(first);
      await figures.during('old and new again', () => cluster.progress(load, TURNS));

      log('killing the old replica; the new one takes over');
      await killOwner(cluster, second);
      await deployment.replace(second);
      await figures.during('new and new', () => cluster.progress(load, TURNS));

      const { problems } = await cluster.check(TURNS * 4);
      return { figure: figures.format(), problems };
    }),
});

/** Answered turns by phase. */
class Figures {
  readonly #cluster: Cluster;
  readonly #load: Load;
  readonly #phases: string[] = [];

  constructor(cluster: Cluster, load: Load) {
    this.#cluster = cluster;
    this.#load = load;
  }

  async during(phase: string, run: () => Promise<void>): Promise<void> {
    const before = this.#load.answered;
    const since = Date.now();
    await run();
    const { witness } = this.#cluster.deployment;
    // Under load, one replica may run all of the first turns.
    await this.#cluster.eventually(`${phase}: both replicas have chats`, async () => {
      const [row] = await witness.query<{ owners: number }>(
        `SELECT count(DISTINCT worker)::int AS owners FROM witness.moves WHERE at > to_timestamp($1::float8 / 1000)`,
        [since],
      );
      return row?.owners === 2;
    });
    this.#phases.push(`${phase}: ${this.#load.answered - before} turns`);
  }

  format(): string {
    return this.#phases.join(', ');
  }
}

async function expectStopped(cluster: Cluster, { replica }: Member): Promise<void> {
  const code = await replica.stop();
  cluster.expect(code === 0, `a stopped replica exited with code ${code}`);
}

/** Pauses answers that have a viewer on each version: live parts must arrive in both directions. */
async function expectSeenFromBoth(cluster: Cluster, members: readonly Member[]): Promise<void> {
  const held = await hold(cluster);
  const viewers = held.flatMap(({ chatId }) =>
    members.map((member) => cluster.watch(chatId, { chooseUrl: () => reachable(member) })),
  );
  // Under load, a lease may expire; the next attempt is not paused.
  const { model } = cluster.deployment;
  const isRestarted = ({ last }: Conversation) => model.requestCount(last.id, 0) > 1;
  await cluster.eventually('viewers on both versions have the first half', () => {
    const over = new Set(held.filter(isRestarted).map(({ chatId }) => chatId));
    return viewers.every(({ chatId, view }) => view.previewText !== '' || over.has(chatId));
  });
  await finish(cluster, held);
}

/** Kills the owner of paused answers with queued messages. */
async function killOwner(cluster: Cluster, victim: Member): Promise<void> {
  let held: Conversation[] = [];
  await cluster.eventually('the replica owns a paused chat', async () => {
    held = [...held, ...(await hold(cluster))];
    return (await ownedBy(cluster, victim, held)).length > 0;
  });
  const lost = await ownedBy(cluster, victim, held);
  for (const conversation of lost) await conversation.send([{ chunks: 2 }]);
  const killedAt = Date.now();
  await victim.replica.kill();
  await cluster.takenOver(
    lost.map(({ chatId }) => chatId),
    killedAt,
  );
  await finish(cluster, held);
}

async function hold(cluster: Cluster): Promise<Conversation[]> {
  const held = await cluster.beginAll(HELD, [{ chunks: 10, hold: true }]);
  await Promise.all(held.map(({ last }) => cluster.deployment.model.held(last.id)));
  return held;
}

async function finish(cluster: Cluster, held: readonly Conversation[]): Promise<void> {
  for (const { acknowledged } of held) {
    for (const { id } of acknowledged) cluster.deployment.model.release(id);
  }
  await cluster.eventually('answers of the paused chats', () =>
    held.every((one) => one.isAnswered()),
  );
}

async function ownedBy(
  { deployment }: Cluster,
  { workerId }: Member,
  held: readonly Conversation[],
): Promise<Conversation[]> {
  const owned = await deployment.witness.chatsOf(workerId);
  return held.filter(({ chatId }) => owned.includes(chatId));
}

/** An old replica on the new schema starts or fails with a clear error. The running one continues. */
async function expectClearError(cluster: Cluster, old: Revision, running: Member): Promise<void> {
  if ((await newestMigration(cluster)) <= old.schema.version) return;
  const started = await cluster.deployment.join({}, old).catch((error: unknown) => String(error));
  if (typeof started === 'string') {
    cluster.expect(started.includes('migrated by a newer chatd'), `old replica: ${started}`);
  } else {
    await expectStopped(cluster, started);
  }
  cluster.expect(running.replica.isAlive, 'the old replica has exited');
}

async function newestMigration({ deployment }: Cluster): Promise<number> {
  const [row] = await deployment.witness.query<{ version: number }>(
    'SELECT max(version) AS version FROM schema_migrations',
  );
  return row?.version ?? 0;
}

const reachable = ({ replica }: Member) => (replica.isAlive ? replica.url : undefined);
