import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../deployment/deployment.ts';
import { type Plan, plannedAgents } from '../deployment/plan.ts';
import { judge } from '../oracle/oracle.ts';
import type { Counts } from './counts.ts';
import type { EffectLedger } from './effect-ledger.ts';
import type { PatientWitness } from './patient-witness.ts';
import type { Retired } from './person.ts';

const EVERY_MS = 2000;
const WAYS_TO_PUT_AWAY = ['chats archived', 'chats deleted', 'chats restored'] as const;
const PATIENCE_MS = 180_000;

interface Case extends Retired {
  readonly since: number;
}

/** The end of a chat as it is stored, with all agents below it. */
interface End {
  readonly id: string;
  readonly family: string[];
  readonly rests: boolean;
  readonly status: string;
  readonly last: number;
}

export interface CourtOptions {
  readonly deployment: Deployment;
  readonly witness: PatientWitness;
  readonly ledger: EffectLedger;
  readonly counts: Counts;
  readonly complain: (problem: string) => void;
}

/**
 * Judges chats as they come to rest, puts them away and forgets them: whatever a run of hours has seen, the process that
 * makes it stays small.
 */
export class SoakOracle {
  readonly #options: CourtOptions;
  readonly #pending = new Set<Case>();
  readonly #sessions: Promise<void>;
  #closing = false;
  #judged = 0;

  constructor(options: CourtOptions) {
    this.#options = options;
    this.#sessions = this.#sit();
  }

  get pending(): number {
    return this.#pending.size;
  }

  readonly retire = (retired: Retired): void => {
    this.#pending.add({ ...retired, since: performance.now() });
  };

  /** Resolves when all that was brought before it has been judged. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#sessions;
  }

  async #sit(): Promise<void> {
    while (!this.#closing || this.#pending.size > 0) {
      await sleep(EVERY_MS);
      try {
        await this.#session();
      } catch (error) {
        this.#options.complain(`the oracle: ${String(error)}`);
      }
    }
  }

  async #session(): Promise<void> {
    const ends = await this.#ends([...this.#pending].flatMap(chatsOf));
    const ripe: Case[] = [];
    for (const one of this.#pending) {
      const hasCome =
        chatsOf(one).every((id) => ends.get(id)?.rests === true) &&
        one.viewers.every((viewer) => hasSeen(viewer, ends.get(viewer.chatId)));
      const isLate = performance.now() - one.since > PATIENCE_MS;
      if (!hasCome && !isLate) continue;
      ripe.push(one);
      this.#pending.delete(one);
      if (!hasCome) this.#options.complain(unfinished(one, ends));
    }
    if (ripe.length === 0) return;
    const families = ripe.flatMap(chatsOf).flatMap((id) => ends.get(id)?.family ?? []);
    await this.#judge(ripe, families);
    await Promise.all(ripe.flatMap(({ viewers }) => viewers.map((viewer) => viewer.close())));
    const chats = ripe.flatMap(chatsOf);
    for (const id of chats) await this.#putAway(id);
    this.#options.counts.add('chats judged', chats.length);
  }

  async #judge(ripe: readonly Case[], families: readonly string[]): Promise<void> {
    const { deployment, witness, ledger, complain } = this.#options;
    const acknowledged = ripe.flatMap(({ talks }) => talks.flatMap((talk) => talk.acknowledged));
    const plans = acknowledged.flatMap((plan): Plan[] => [plan, ...plannedAgents(plan)]);
    const problems = await judge({
      witness,
      api: deployment.api,
      acknowledged,
      viewers: ripe.flatMap(({ viewers }) => viewers),
      effects: await ledger.take(plans.map(({ id }) => id)),
      rejectedPrompts: [],
      progress: 0,
      chats: families,
    });
    for (const problem of problems) complain(problem);
    for (const plan of plans) deployment.model.forget(plan);
    await witness.query('DELETE FROM witness.moves WHERE chat_id = ANY($1)', [families]);
  }

  /** Archived, deleted, or deleted and brought back; whatever was acknowledged is what is stored. */
  async #putAway(chatId: string): Promise<void> {
    const { deployment, witness, counts, complain } = this.#options;
    const { api } = deployment;
    const how = WAYS_TO_PUT_AWAY[this.#judged % 3] ?? 'chats archived';
    this.#judged += 1;
    const path = `/chats/${chatId}`;
    if (how === 'chats archived') await api.patch(path, { archived: true });
    else await api.delete(path);
    if (how === 'chats restored') await api.post(`${path}/restore`, undefined);
    const [chat] = await witness.query<{ archived: boolean; deleted: boolean }>(
      'SELECT archived, deleted_at IS NOT NULL AS deleted FROM chats WHERE id = $1',
      [chatId],
    );
    const is = `${chat?.archived}/${chat?.deleted}`;
    const should = `${how === 'chats archived'}/${how === 'chats deleted'}`;
    if (is !== should) complain(`chat ${chatId} (${how}) is archived/deleted ${is}`);
    counts.add(how);
  }

  async #ends(chatIds: readonly string[]): Promise<Map<string, End>> {
    if (chatIds.length === 0) return new Map();
    const rows = await this.#options.witness.query<End>(
      `SELECT chats.id, chats.status, family.ids AS family, family.rests,
              (SELECT coalesce(max(id), 0)::int FROM messages WHERE chat_id = chats.id AND NOT hidden) AS last
         FROM chats,
              LATERAL (SELECT array_agg(one.id) AS ids, bool_and(one.status IN ('waiting', 'error')) AS rests
                         FROM chats one WHERE one.id = chats.id OR one.root_chat_id = chats.id) family
        WHERE chats.id = ANY($1)`,
      [chatIds],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }
}

const chatsOf = ({ talks }: Retired): string[] => talks.map(({ chatId }) => chatId);

const hasSeen = ({ view }: Retired['viewers'][number], end: End | undefined): boolean =>
  view.status === end?.status && (view.lastMessage?.id ?? 0) === end?.last;

function unfinished({ talks, viewers }: Case, ends: ReadonlyMap<string, End>): string {
  const stored = talks.map(({ chatId }) => {
    const end = ends.get(chatId);
    return `${chatId} stored ${end?.status} ${end?.last}`;
  });
  const shown = viewers.map(({ chatId, view }) => {
    return `${chatId} shown ${view.status} ${view.lastMessage?.id}`;
  });
  return `chats did not come to rest before all eyes: ${[...stored, ...shown].join(', ')}`;
}
