import type { Conversation } from '../clients/conversation.ts';
import type { Load } from '../clients/load.ts';
import type { Member } from '../deployment/deployment.ts';
import type { Outcome, Row } from '../row.ts';
import { type Cluster, withCluster } from '../cluster.ts';
import type { Revision } from './revision.ts';

const HELD = 4;
const TURNS = 6;

/**
 * Two replicas of an earlier version become two of this one, one after the other, while people talk and viewers wander
 * between them. In between both versions share the chats, and each has to go on with what the other has left behind.
 */
export const rollingUpgrade = (old: Revision): Row => ({
  name: `rolling upgrade from ${old.name} (schema ${old.schema.version})`,
  mustHold: 'nothing is lost, repeated or stuck while two versions share the chats',
  run: ({ bus, postgres, say }) =>
    withCluster({ bus, postgres, version: old }, async (cluster) => {
      const { deployment } = cluster;
      const [first, second] = deployment.members;
      if (first === undefined || second === undefined) throw new Error('there are two replicas');
      const load = await cluster.load({ conversations: 6 });
      // Everybody's chat has a second viewer whose cursor comes from one version and goes to the other.
      for (const { chatId } of load.conversations) {
        cluster.watch(chatId, { leaveAfter: (connection) => 1 + ((connection * 7) % 9) });
      }
      const figures = new Figures(cluster, load);
      await figures.during('old and old', () => cluster.progress(load, TURNS));

      await expectStopped(cluster, first);
      await deployment.replace(first);
      say(`the first replica is new; ${await newestMigration(cluster)} is the newest migration`);
      await figures.during('old and new', async () => {
        await cluster.progress(load, TURNS);
        await seenFromBoth(cluster, [first, second]);
        await expectClearWords(cluster, old, second);
      });

      say('the new one is killed: the old one goes on with what it wrote');
      await survive(cluster, first);
      await deployment.replace(first);
      await figures.during('old and new again', () => cluster.progress(load, TURNS));

      say('the old one is killed: the new one goes on with what it wrote');
      await survive(cluster, second);
      await deployment.replace(second);
      await figures.during('new and new', () => cluster.progress(load, TURNS));

      const problems = await cluster.verdict(TURNS * 4);
      return { figure: figures.words(), problems } satisfies Outcome;
    }),
});

/** Turns that were answered, by who was there. */
class Figures {
  readonly #cluster: Cluster;
  readonly #load: Load;
  readonly #phases: string[] = [];

  constructor(cluster: Cluster, load: Load) {
    this.#cluster = cluster;
    this.#load = load;
  }

  async during(phase: string, act: () => Promise<void>): Promise<void> {
    const before = this.#load.answered;
    const since = Date.now();
    await act();
    const { witness } = this.#cluster.deployment;
    // On a busy machine the first turns may all be those of one.
    await this.#cluster.eventually(`${phase}: both replicas have chats`, async () => {
      const [row] = await witness.query<{ owners: number }>(
        `SELECT count(DISTINCT worker)::int AS owners FROM witness.moves WHERE at > to_timestamp($1::float8 / 1000)`,
        [since],
      );
      return row?.owners === 2;
    });
    this.#phases.push(`${phase}: ${this.#load.answered - before} turns`);
  }

  words(): string {
    return this.#phases.join(', ');
  }
}

async function expectStopped(cluster: Cluster, { replica }: Member): Promise<void> {
  const code = await replica.stop();
  cluster.expect(code === 0, `a replica that was asked to stop ended with ${code}`);
}

/** Answers that stand still, each with a viewer at either version: live parts cross in both directions. */
async function seenFromBoth(cluster: Cluster, members: readonly Member[]): Promise<void> {
  const held = await hold(cluster);
  const viewers = held.flatMap(({ chatId }) =>
    members.map((member) => cluster.watch(chatId, { chooseUrl: () => reachable(member) })),
  );
  // On a busy machine a lease may pass; the attempt that follows does not stand still.
  const { model } = cluster.deployment;
  const goesOn = ({ last }: Conversation) => model.asked(last.id, 0) > 1;
  await cluster.eventually('viewers at both versions see the first half', () => {
    const over = new Set(held.filter(goesOn).map(({ chatId }) => chatId));
    return viewers.every(({ chatId, view }) => view.previewText !== '' || over.has(chatId));
  });
  await finish(cluster, held);
}

/** Kills the owner of answers that stand still, with messages that wait behind them. */
async function survive(cluster: Cluster, victim: Member): Promise<void> {
  let held: Conversation[] = [];
  await cluster.eventually('the replica has some of the chats that stand still', async () => {
    held = [...held, ...(await hold(cluster))];
    return (await ownedBy(cluster, victim, held)).length > 0;
  });
  const lost = await ownedBy(cluster, victim, held);
  for (const conversation of lost) await conversation.say([{ say: 2 }]);
  const killedAt = Date.now();
  await victim.replica.kill();
  await cluster.takenOver(
    lost.map(({ chatId }) => chatId),
    killedAt,
  );
  await finish(cluster, held);
}

async function hold(cluster: Cluster): Promise<Conversation[]> {
  const held = await cluster.beginAll(HELD, [{ say: 10, hold: true }]);
  await Promise.all(held.map(({ last }) => cluster.deployment.model.held(last.id)));
  return held;
}

async function finish(cluster: Cluster, held: readonly Conversation[]): Promise<void> {
  for (const { acknowledged } of held) {
    for (const { id } of acknowledged) cluster.deployment.model.release(id);
  }
  await cluster.eventually('the answers of chats that stood still', () =>
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

/** An old program that is started on what the new one has made works with it, or refuses in words; one that runs goes on. */
async function expectClearWords(cluster: Cluster, old: Revision, running: Member): Promise<void> {
  if ((await newestMigration(cluster)) <= old.schema.version) return;
  const started = await cluster.deployment.join({}, old).catch((error: unknown) => String(error));
  if (typeof started === 'string') {
    cluster.expect(started.includes('migrated by a newer chatd'), `an old replica: ${started}`);
  } else {
    await expectStopped(cluster, started);
  }
  cluster.expect(running.replica.isAlive, 'the old replica has ended');
}

async function newestMigration({ deployment }: Cluster): Promise<number> {
  const [row] = await deployment.witness.query<{ version: number }>(
    'SELECT max(version) AS version FROM schema_migrations',
  );
  return row?.version ?? 0;
}

const reachable = ({ replica }: Member) => (replica.isAlive ? replica.url : undefined);
