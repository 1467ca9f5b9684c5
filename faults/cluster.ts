import { setTimeout as sleep } from 'node:timers/promises';
import { Conversation } from './clients/conversation.ts';
import { Load, type LoadOptions } from './clients/load.ts';
import { Viewer, type ViewerOptions } from './clients/viewer.ts';
import { Deployment, type DeploymentOptions, LEASE_SECONDS } from './deployment/deployment.ts';
import type { PlannedStep } from './deployment/plan.ts';
import type { Takeover } from './deployment/witness.ts';
import { judge } from './oracle/oracle.ts';

/** What a chat may take to run again after any single failure. */
export const TAKEOVER_BOUND_MS = LEASE_SECONDS * 1000 + 2000;
/** By then whatever should happen has happened, also on a machine with much else to do. */
const PATIENCE_MS = 60_000;
const POLL_MS = 50;

/** A deployment with people in front of it, from the curtain to the verdict. */
export class Cluster {
  readonly deployment: Deployment;
  readonly conversations: Conversation[] = [];
  readonly viewers: Viewer[] = [];
  readonly loads: Load[] = [];
  /** What a row found wrong by itself. */
  readonly problems: string[] = [];
  /** What took too long. */
  readonly late: string[] = [];
  readonly mayFail = new Set<string>();

  static async open(options: DeploymentOptions): Promise<Cluster> {
    return new Cluster(await Deployment.start(options));
  }

  private constructor(deployment: Deployment) {
    this.deployment = deployment;
  }

  async load(options: LoadOptions): Promise<Load> {
    const load = await Load.start(this.deployment, options);
    this.loads.push(load);
    return load;
  }

  async begin(
    steps: readonly PlannedStep[],
    watch?: Omit<ViewerOptions, 'api' | 'chatId'>,
  ): Promise<Conversation> {
    const conversation = await Conversation.begin(this.deployment.api, steps, watch);
    this.conversations.push(conversation);
    return conversation;
  }

  /** Several people who say the same at once. */
  async beginAll(count: number, steps: readonly PlannedStep[]): Promise<Conversation[]> {
    return await Promise.all(Array.from({ length: count }, () => this.begin(steps)));
  }

  /** Somebody else who watches. */
  watch(chatId: string, options: Omit<ViewerOptions, 'api' | 'chatId'> = {}): Viewer {
    const viewer = new Viewer({ api: this.deployment.api, chatId, ...options });
    this.viewers.push(viewer);
    return viewer;
  }

  expect(holds: boolean, otherwise: string): void {
    if (!holds) this.problems.push(otherwise);
  }

  /** A time that has a bound, in milliseconds. */
  expectWithin(bound: number, took: number, what: string): void {
    if (took > bound) this.late.push(`${what} took ${Math.round(took)} ms, more than ${bound}`);
  }

  /** Waits for a condition; says so when it does not come true within any reason. */
  async eventually(
    what: string,
    isSo: () => boolean | Promise<boolean>,
    withinMs = PATIENCE_MS,
  ): Promise<boolean> {
    const deadline = performance.now() + withinMs;
    while (!(await isSo())) {
      if (performance.now() > deadline) {
        this.problems.push(`did not happen within ${withinMs} ms: ${what}`);
        return false;
      }
      await sleep(POLL_MS);
    }
    return true;
  }

  /** So many more turns are answered. */
  async progress(load: Load, turns: number): Promise<void> {
    const goal = load.answered + turns;
    await this.eventually(`${turns} more turns`, () => load.answered >= goal);
  }

  /** Resolves when another worker has all these chats; they were taken without having been given up. */
  async takenOver(chatIds: readonly string[], since: number): Promise<Takeover[]> {
    const wanted = new Set(chatIds);
    let found: Takeover[] = [];
    await this.eventually('all chats of the lost replica run elsewhere', async () => {
      found = (await this.deployment.witness.takeovers(since)).filter(({ chat_id }) =>
        wanted.has(chat_id),
      );
      return new Set(found.map(({ chat_id }) => chat_id)).size === wanted.size;
    });
    return found;
  }

  /** People stop talking, chats come to rest, viewers have seen it all. Then the oracle speaks. */
  async verdict(progress: number): Promise<string[]> {
    const { deployment, loads, conversations, viewers, problems, mayFail } = this;
    const { witness, api, model } = deployment;
    for (const load of loads) {
      await load.stop();
      problems.push(...load.failures);
    }
    await this.eventually(
      'all chats have come to rest',
      async () => (await witness.busyChats()).length === 0,
    );
    const talks = [...conversations, ...loads.flatMap((load) => load.conversations)];
    const watching = [...viewers, ...talks.map(({ viewer }) => viewer)];
    await this.eventually('all viewers have seen the end', async () => {
      const stored = await this.#ends();
      return watching.every(({ chatId, view }) => {
        const end = stored.get(chatId);
        return view.status === end?.status && (view.lastMessage?.id ?? 0) === end?.last;
      });
    });
    const found = await judge({
      witness,
      api,
      acknowledged: talks.flatMap(({ acknowledged }) => acknowledged),
      viewers: watching,
      effects: await deployment.effects(),
      rejectedPrompts: model.provider.rejected,
      progress,
      mayFail,
    });
    return [...problems, ...found];
  }

  async close(): Promise<void> {
    await Promise.all([
      ...this.viewers.map((viewer) => viewer.close()),
      ...this.conversations.map(({ viewer }) => viewer.close()),
      ...this.loads.map((load) => load.close()),
    ]);
    await this.deployment.close();
  }

  async #ends(): Promise<Map<string, { status: string; last: number }>> {
    const rows = await this.deployment.witness.query<{ id: string; status: string; last: number }>(
      `SELECT id, status,
              (SELECT coalesce(max(id), 0)::int FROM messages WHERE chat_id = chats.id AND NOT hidden) AS last
         FROM chats`,
    );
    return new Map(rows.map((row) => [row.id, row]));
  }
}

/** A cluster that is closed whatever happens in it. */
export async function withCluster<T>(
  options: DeploymentOptions,
  play: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const cluster = await Cluster.open(options);
  try {
    return await play(cluster);
  } finally {
    await cluster.close();
  }
}
