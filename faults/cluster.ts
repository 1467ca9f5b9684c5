import { setTimeout as sleep } from 'node:timers/promises';
import { type Acknowledged, Conversation } from './clients/conversation.ts';
import { Load, type LoadOptions } from './clients/load.ts';
import { Viewer, type ViewerOptions } from './clients/viewer.ts';
import { Deployment, type DeploymentOptions, LEASE_SECONDS } from './deployment/deployment.ts';
import type { PlannedStep } from './deployment/plan.ts';
import type { Takeover } from './deployment/witness.ts';
import { countExamined, type Examined } from './oracle/examined.ts';
import { runChecks } from './oracle/oracle.ts';
import type { Problem, ProblemKind } from './oracle/problem.ts';

/** Time limit for a chat to run again after a single failure. */
export const TAKEOVER_BOUND_MS = LEASE_SECONDS * 1000 + 2000;
/** Generous, because the machine can be under load. */
const TIMEOUT_MS = 60_000;
const POLL_MS = 50;
const BUSY: ReadonlySet<string> = new Set(['running', 'interrupting']);

/** The result of all checks of a cluster. */
export interface Verdict {
  readonly problems: readonly Problem[];
  /** Exceeded time limits. */
  readonly late: readonly string[];
  readonly examined: Examined;
}

/** A deployment, its clients, and the checks that run at the end. */
export class Cluster {
  readonly deployment: Deployment;
  readonly conversations: Conversation[] = [];
  readonly viewers: Viewer[] = [];
  readonly loads: Load[] = [];
  /** Acknowledged messages of chats without a conversation. */
  readonly acknowledged: Acknowledged[] = [];
  /** Problems found by the row itself. */
  readonly problems: Problem[] = [];
  /** Exceeded time limits. */
  readonly late: string[] = [];
  readonly mayFail = new Set<string>();
  /** Viewers that are closed. Their views stay part of the evidence. */
  readonly #retired = new Set<Viewer>();

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
    properties?: Readonly<Record<string, unknown>>,
  ): Promise<Conversation> {
    const { api } = this.deployment;
    const conversation = await Conversation.begin(api, steps, watch, properties);
    this.conversations.push(conversation);
    return conversation;
  }

  /** Starts conversations concurrently. */
  async beginAll(count: number, steps: readonly PlannedStep[]): Promise<Conversation[]> {
    return await Promise.all(Array.from({ length: count }, () => this.begin(steps)));
  }

  /** Adds a viewer to a chat. */
  watch(chatId: string, options: Omit<ViewerOptions, 'api' | 'chatId'> = {}): Viewer {
    const viewer = new Viewer({ api: this.deployment.api, chatId, ...options });
    this.viewers.push(viewer);
    return viewer;
  }

  expect(holds: boolean, otherwise: string, kind: ProblemKind = 'wrong'): void {
    if (!holds) this.problems.push({ kind, what: otherwise });
  }

  /** Checks a duration against its limit, in milliseconds. */
  expectWithin(bound: number, took: number, what: string): void {
    if (took > bound)
      this.late.push(`${what} took ${Math.round(took)} ms (limit: ${Math.round(bound)} ms)`);
  }

  /** Waits for a condition. Adds a problem if it does not become true in time. */
  async eventually(
    what: string,
    condition: () => boolean | Promise<boolean>,
    withinMs = TIMEOUT_MS,
  ): Promise<boolean> {
    const deadline = performance.now() + withinMs;
    while (!(await condition())) {
      if (performance.now() > deadline) {
        this.expect(false, `timeout after ${withinMs} ms: ${what}`);
        return false;
      }
      await sleep(POLL_MS);
    }
    return true;
  }

  /** Waits until this many more turns are answered. */
  async progress(load: Load, turns: number): Promise<void> {
    const goal = load.answered + turns;
    await this.eventually(`${turns} more answered turns`, () => load.answered >= goal);
  }

  /** Waits until other workers have taken over all these chats, without a release. */
  async takenOver(chatIds: readonly string[], since: number): Promise<Takeover[]> {
    const wanted = new Set(chatIds);
    let found: Takeover[] = [];
    await this.eventually('takeover of all chats of the lost replica', async () => {
      found = (await this.deployment.witness.takeovers(since)).filter(({ chat_id }) =>
        wanted.has(chat_id),
      );
      return new Set(found.map(({ chat_id }) => chat_id)).size === wanted.size;
    });
    return found;
  }

  /**
   * Closes all viewers, except those of loads, when their chats are idle and they are up to date. A user can have 1000
   * streams per replica, which many rounds would exceed.
   */
  async retire(): Promise<void> {
    const open = [...this.viewers, ...this.conversations.map(({ viewer }) => viewer)].filter(
      (viewer) => !this.#retired.has(viewer),
    );
    await this.#upToDate(open);
    await Promise.all(open.map((viewer) => viewer.close()));
    for (const viewer of open) this.#retired.add(viewer);
  }

  /** Stops the load, waits until all chats are idle and all viewers are up to date, and runs the oracle. */
  async check(progress: number): Promise<Verdict> {
    const { deployment, loads, conversations, viewers, problems, mayFail, late } = this;
    const { witness, api, model } = deployment;
    for (const load of loads) {
      await load.stop();
      for (const failure of load.failures) this.expect(false, failure);
    }
    await this.eventually(
      'all chats are idle',
      async () => (await witness.busyChats()).length === 0,
    );
    const all = [...conversations, ...loads.flatMap((load) => load.conversations)];
    const watching = [...viewers, ...all.map(({ viewer }) => viewer)];
    await this.#upToDate(watching);
    const acknowledged = [...this.acknowledged, ...all.flatMap((one) => one.acknowledged)];
    const found = await runChecks({
      records: witness,
      api,
      acknowledged,
      viewers: watching,
      effects: await deployment.effects(),
      rejectedPrompts: model.provider.rejected,
      progress,
      mayFail,
    });
    const [chats, messages] = await Promise.all([
      witness.chats(undefined),
      witness.messages(undefined),
    ]);
    const examined = countExamined(chats, messages, acknowledged, watching);
    return { problems: [...problems, ...found], late, examined };
  }

  async close(): Promise<void> {
    await Promise.all([
      ...this.viewers.map((viewer) => viewer.close()),
      ...this.conversations.map(({ viewer }) => viewer.close()),
      ...this.loads.map((load) => load.close()),
    ]);
    await this.deployment.close();
  }

  /** Waits until the chats of these viewers are idle, and the viewers have received everything. */
  async #upToDate(watching: readonly Viewer[]): Promise<void> {
    await this.eventually('all viewers are up to date', async () => {
      const stored = await this.#ends();
      return watching.every(({ chatId, view }) => {
        const end = stored.get(chatId);
        return (
          end !== undefined &&
          !BUSY.has(end.status) &&
          view.status === end.status &&
          (view.lastMessage?.id ?? 0) === end.last
        );
      });
    });
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

export async function withCluster<T>(
  options: DeploymentOptions,
  run: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const cluster = await Cluster.open(options);
  try {
    return await run(cluster);
  } finally {
    await cluster.close();
  }
}
