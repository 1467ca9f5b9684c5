import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../deployment/deployment.ts';
import { type Plan, plannedSubagents } from '../deployment/plan.ts';
import { runChecks } from '../oracle/oracle.ts';
import { formatProblem } from '../oracle/problem.ts';
import type { Counts } from './counts.ts';
import type { EffectLedger } from './effect-ledger.ts';
import type { RetryingWitness } from './retrying-witness.ts';
import type { FinishedChats } from './simulated-user.ts';

const EVERY_MS = 2000;
const DISPOSALS = ['chats archived', 'chats deleted', 'chats restored'] as const;
const TIMEOUT_MS = 180_000;

interface Pending extends FinishedChats {
  readonly since: number;
}

/** The stored state of a chat and its subagents. */
interface Stored {
  readonly id: string;
  readonly tree: string[];
  readonly idle: boolean;
  readonly status: string;
  readonly last: number;
}

export interface SoakOracleOptions {
  readonly deployment: Deployment;
  readonly witness: RetryingWitness;
  readonly ledger: EffectLedger;
  readonly counts: Counts;
  readonly report: (problem: string) => void;
}

/**
 * Checks finished chats when they are idle, then archives or deletes them and discards their data, so that the load
 * generator needs little memory.
 */
export class SoakOracle {
  readonly #options: SoakOracleOptions;
  readonly #pending = new Set<Pending>();
  readonly #running: Promise<void>;
  #closing = false;
  #checked = 0;

  constructor(options: SoakOracleOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  get pending(): number {
    return this.#pending.size;
  }

  readonly add = (finished: FinishedChats): void => {
    this.#pending.add({ ...finished, since: performance.now() });
  };

  /** Resolves when all pending chats are checked. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#closing || this.#pending.size > 0) {
      await sleep(EVERY_MS);
      try {
        await this.#checkPending();
      } catch (error) {
        this.#options.report(`oracle: ${String(error)}`);
      }
    }
  }

  async #checkPending(): Promise<void> {
    const states = await this.#storedStates([...this.#pending].flatMap(chatsOf));
    const ready: Pending[] = [];
    for (const one of this.#pending) {
      const isFinished =
        chatsOf(one).every((id) => states.get(id)?.idle === true) &&
        one.viewers.every((viewer) => hasSeen(viewer, states.get(viewer.chatId)));
      const isTimedOut = performance.now() - one.since > TIMEOUT_MS;
      if (!isFinished && !isTimedOut) continue;
      ready.push(one);
      this.#pending.delete(one);
      if (!isFinished) this.#options.report(unfinished(one, states));
    }
    if (ready.length === 0) return;
    const treeIds = ready.flatMap(chatsOf).flatMap((id) => states.get(id)?.tree ?? []);
    await this.#runChecks(ready, treeIds);
    await Promise.all(ready.flatMap(({ viewers }) => viewers.map((viewer) => viewer.close())));
    const chats = ready.flatMap(chatsOf);
    for (const id of chats) await this.#dispose(id);
    this.#options.counts.add('chats checked', chats.length);
  }

  async #runChecks(ready: readonly Pending[], treeIds: readonly string[]): Promise<void> {
    const { deployment, witness, ledger, report } = this.#options;
    const acknowledged = ready.flatMap(({ chats }) => chats.flatMap((chat) => chat.acknowledged));
    const plans = acknowledged.flatMap((plan): Plan[] => [plan, ...plannedSubagents(plan)]);
    const problems = await runChecks({
      records: witness,
      api: deployment.api,
      acknowledged,
      viewers: ready.flatMap(({ viewers }) => viewers),
      effects: await ledger.take(plans.map(({ id }) => id)),
      rejectedPrompts: [],
      progress: 0,
      chats: treeIds,
    });
    for (const problem of problems) report(formatProblem(problem));
    for (const plan of plans) deployment.model.forget(plan);
    await witness.query('DELETE FROM witness.moves WHERE chat_id = ANY($1)', [treeIds]);
  }

  /** Archives, deletes, or deletes and restores the chat, and compares the stored state. */
  async #dispose(chatId: string): Promise<void> {
    const { deployment, witness, counts, report } = this.#options;
    const { api } = deployment;
    const disposal = DISPOSALS[this.#checked % 3] ?? 'chats archived';
    this.#checked += 1;
    const path = `/chats/${chatId}`;
    if (disposal === 'chats archived') await api.patch(path, { archived: true });
    else await api.delete(path);
    if (disposal === 'chats restored') await api.post(`${path}/restore`, undefined);
    const [chat] = await witness.query<{ archived: boolean; deleted: boolean }>(
      'SELECT archived, deleted_at IS NOT NULL AS deleted FROM chats WHERE id = $1',
      [chatId],
    );
    const actual = `${chat?.archived}/${chat?.deleted}`;
    const expected = `${disposal === 'chats archived'}/${disposal === 'chats deleted'}`;
    if (actual !== expected) report(`chat ${chatId} (${disposal}): archived/deleted is ${actual}`);
    counts.add(disposal);
  }

  async #storedStates(chatIds: readonly string[]): Promise<Map<string, Stored>> {
    if (chatIds.length === 0) return new Map();
    const rows = await this.#options.witness.query<Stored>(
      `SELECT chats.id, chats.status, tree.ids AS tree, tree.idle,
              (SELECT coalesce(max(id), 0)::int FROM messages WHERE chat_id = chats.id AND NOT hidden) AS last
         FROM chats,
              LATERAL (SELECT array_agg(one.id) AS ids, bool_and(one.status IN ('waiting', 'error')) AS idle
                         FROM chats one WHERE one.id = chats.id OR one.root_chat_id = chats.id) tree
        WHERE chats.id = ANY($1)`,
      [chatIds],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }
}

const chatsOf = ({ chats }: FinishedChats): string[] => chats.map(({ chatId }) => chatId);

const hasSeen = ({ view }: FinishedChats['viewers'][number], end: Stored | undefined): boolean =>
  view.status === end?.status && (view.lastMessage?.id ?? 0) === end?.last;

function unfinished({ chats, viewers }: Pending, states: ReadonlyMap<string, Stored>): string {
  const stored = chats.map(({ chatId }) => {
    const end = states.get(chatId);
    return `${chatId} stored: ${end?.status} ${end?.last}`;
  });
  const shown = viewers.map(({ chatId, view }) => {
    return `${chatId} shown: ${view.status} ${view.lastMessage?.id}`;
  });
  return `chats or viewers did not finish in time: ${[...stored, ...shown].join(', ')}`;
}
