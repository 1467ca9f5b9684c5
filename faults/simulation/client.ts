import type { BusyBehavior } from '@chatd/protocol';
import { Refused } from '../../packages/server/src/chat/refused.ts';
import type { ChatRow } from '../../packages/server/src/chat/row.ts';
import type { Store } from '../../packages/server/src/store/store.ts';
import type { Acknowledged } from '../clients/conversation.ts';
import {
  effectKey,
  formatPlan,
  GUARDED_TOOL,
  type Plan,
  parsePlan,
  type PlannedStep,
} from '../deployment/plan.ts';
import { firstText } from '../oracle/records.ts';
import type { Deployment } from './deployment.ts';
import type { World } from './world.ts';

const TIMEOUT_MS = 10_000;
const DYNAMIC_TOOL = 'look_up';
/** Long enough that connections of machines break meanwhile. */
const LONGEST_COMMAND_MS = 5_000;

/** It is unknown whether the call took effect. */
class Unanswered {
  readonly kind = 'unanswered';
}
const UNANSWERED = new Unanswered();

/** A client of one chat, which sends random messages and answers what it is asked. */
export class Client {
  readonly acknowledged: Acknowledged[] = [];
  readonly #deployment: Deployment;
  readonly #world: World;
  readonly #ownerId: string;
  readonly #chatId: string;
  readonly #name: string;
  /** One decision per call, even if it is sent again. */
  readonly #decisions = new Map<string, 'allow' | 'deny'>();
  /** It is unknown whether an edit removed messages. */
  isUncertain = false;
  /** A call without an answer may still interrupt any turn. */
  #interruptsLater = false;
  #sent = 0;

  readonly #tools: readonly string[];

  constructor(
    deployment: Deployment,
    name: string,
    ownerId: string,
    tools: readonly string[] = [],
  ) {
    this.#tools = ['count', 'count', GUARDED_TOOL, DYNAMIC_TOOL, ...tools];
    this.#deployment = deployment;
    this.#world = deployment.world;
    this.#name = name;
    this.#ownerId = ownerId;
    this.#chatId = deployment.world.random.uuid();
  }

  /** Creates a chat and works with it until `until`. */
  async converse(until: number): Promise<void> {
    const { random } = this.#world;
    await this.#create();
    while (this.#world.now < until) {
      await this.#world.sleep(random.integer(1, 3_000));
      if (this.#stored === undefined) return;
      const behavior = random.pick<BusyBehavior>(['queue', 'queue', 'steer', 'interrupt']);
      const choice = random.next();
      if (choice < 0.65) await this.#send(behavior);
      else if (choice < 0.8) await this.#interrupt();
      else await this.#edit();
    }
  }

  /** Answers requests for tool results and approvals until `until`. */
  async answer(until: number): Promise<void> {
    while (this.#world.now < until) {
      await this.#world.sleep(this.#world.random.integer(50, 1_000));
      const chat = this.#stored;
      if (chat?.status !== 'requires_action') continue;
      if (chat.open_calls.some(({ kind }) => kind === 'approval')) await this.#decide(chat);
      else await this.#submit(chat);
    }
  }

  get #stored(): ChatRow | undefined {
    return this.#deployment.postgres.committed.get(this.#chatId)?.row;
  }

  async #create(): Promise<void> {
    const plan = this.#newPlan();
    const chat = {
      id: this.#chatId,
      owner_id: this.#ownerId,
      title: 'Simulation',
      title_source: 'user' as const,
      content: contentOf(plan),
      model_config_id: null,
      reasoning_effort: null,
      system_prompt: null,
      labels: {},
      plan_mode: false,
      dynamic_tools: [{ name: DYNAMIC_TOOL, description: '', input_schema: {} }],
      mcp_server_ids: null,
      workspace_id: null,
    };
    const done = await this.#ask(({ creation }) => creation.createRequested(chat, undefined));
    this.#acknowledge(plan, done);
  }

  async #send(busy_behavior: BusyBehavior): Promise<void> {
    const plan = this.#newPlan();
    // The turn may continue with this message instead of its own.
    if (busy_behavior !== 'queue') this.#mayBeInterrupted();
    const message = {
      busy_behavior,
      content: contentOf(plan),
      model_config_id: null,
      reasoning_effort: null,
      created_by: this.#ownerId,
    };
    const done = await this.#ask(({ client }) => client.send(this.#chatId, message));
    this.#acknowledge(plan, done);
    // Another urgent message may be behind it in the same turn.
    if (busy_behavior !== 'queue') this.#mayBeInterrupted();
    this.#interruptsLater ||= busy_behavior !== 'queue' && done instanceof Unanswered;
  }

  async #interrupt(): Promise<void> {
    this.#mayBeInterrupted();
    const done = await this.#ask(({ client }) => client.interrupt(this.#chatId));
    this.#mayBeInterrupted();
    this.#interruptsLater ||= done instanceof Unanswered;
  }

  /** Replaces a message, which removes all later ones. */
  async #edit(): Promise<void> {
    const history = this.#deployment.postgres.committed.get(this.#chatId)?.messages ?? [];
    const target = history.findLast(({ role, hidden }) => role === 'user' && !hidden);
    if (target === undefined) return;
    const plan = this.#newPlan();
    const edit = {
      content: contentOf(plan),
      model_config_id: null,
      reasoning_effort: null,
      created_by: this.#ownerId,
    };
    const done = await this.#ask(({ client }) => client.editMessage(this.#chatId, target.id, edit));
    if (done instanceof Refused) return;
    if (done instanceof Unanswered) {
      this.isUncertain = true;
      return;
    }
    // The last message, everything that entered the history after it, and the queue are gone.
    const kept = history.filter(({ id, role }) => id < target.id && role === 'user');
    const names = new Set(kept.map((message) => parsePlan(firstText(message))?.id));
    for (const message of this.acknowledged) {
      if (names.has(message.id)) continue;
      if (message.outcome === 'unknown') message.submitted = [];
      else if (message.outcome !== 'rejected') message.outcome = 'removed';
    }
    this.#acknowledge(plan, done);
  }

  async #decide(chat: ChatRow): Promise<void> {
    const at = this.#world.time;
    const decisions = chat.open_calls.flatMap(({ tool_call_id, kind }) => {
      if (kind !== 'approval') return [];
      const decision =
        this.#decisions.get(tool_call_id) ?? this.#world.random.pick(['allow', 'deny'] as const);
      this.#decisions.set(tool_call_id, decision);
      return [{ tool_call_id, decision }];
    });
    const done = await this.#ask(({ approvals }) => approvals.decide(chat, decisions));
    if (done instanceof Unanswered || done instanceof Refused) return;
    for (const { tool_call_id, decision } of decisions) {
      const message = this.#askedBy(tool_call_id);
      if (message === undefined) continue;
      const key = keyOf(tool_call_id);
      const made = { tool_call_id, key, decision, at };
      message.decisions = [...(message.decisions ?? []), made];
    }
  }

  async #submit(chat: ChatRow): Promise<void> {
    const results = chat.open_calls.map(({ tool_call_id }) => ({
      tool_call_id,
      output: { answered: tool_call_id },
    }));
    const done = await this.#ask(({ client }) => client.submitToolResults(chat.id, results));
    if (done instanceof Unanswered || done instanceof Refused) return;
    for (const result of results) {
      const message = this.#askedBy(result.tool_call_id);
      if (message !== undefined) message.submitted = [...(message.submitted ?? []), result];
    }
  }

  /** Calls a replica. It may die before it answers. */
  async #ask<T>(call: (store: Store) => Promise<T>): Promise<T | Refused | Unanswered> {
    const replica = this.#deployment.anyReplica();
    if (replica === undefined) {
      await this.#world.sleep(500);
      return UNANSWERED;
    }
    const answered = this.#world.enter(replica.process, () => call(replica.store));
    return await Promise.race([
      answered.catch((error: unknown) => (error instanceof Refused ? error : UNANSWERED)),
      this.#world.sleep(TIMEOUT_MS).then(() => UNANSWERED),
    ]);
  }

  #acknowledge(plan: Plan, done: unknown): void {
    const stored = this.#interruptsLater ? 'interrupted' : 'answered';
    const outcome =
      done instanceof Unanswered ? 'unknown' : done instanceof Refused ? 'rejected' : stored;
    this.acknowledged.push({ ...plan, chatId: this.#chatId, at: this.#world.time, outcome });
  }

  /** The turn that runs now, or the one that a queued message begins before the call arrives. */
  #mayBeInterrupted(): void {
    for (const message of this.acknowledged) {
      if (message.outcome === 'answered') message.outcome = 'interrupted';
    }
  }

  #askedBy(toolCallId: string): Acknowledged | undefined {
    return this.acknowledged.find(({ id }) => toolCallId.startsWith(`toolu_${id}_`));
  }

  #newPlan(): Plan {
    const { random } = this.#world;
    const steps = Array.from({ length: random.integer(0, 3) }, (): PlannedStep => {
      const tool = random.pick(this.#tools);
      const ms = random.integer(0, tool === 'execute' ? LONGEST_COMMAND_MS : 1_500);
      return { chunks: random.integer(1, 4), call: { tool, ms } };
    });
    this.#sent += 1;
    return { id: `m-${this.#name}-${this.#sent}`, steps: [...steps, { chunks: 2 }] };
  }
}

const contentOf = (plan: Plan) => [{ type: 'text' as const, text: formatPlan(plan) }];

const keyOf = (toolCallId: string): string => {
  const [, id, step] = /^toolu_(.+)_(\d+)$/.exec(toolCallId) ?? [];
  return effectKey(id ?? '', Number(step));
};
