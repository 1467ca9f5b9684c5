import type { ApprovalRule, ChatError, Retry } from '@chatd/protocol';
import type { Fence } from '../../chat/fence.ts';
import { callsDelta } from '../../chat/open-calls.ts';
import { Refused } from '../../chat/refused.ts';
import type { ChatRow, MessageRow } from '../../chat/row.ts';
import { beginAttempt } from '../../chat/transitions/begin-attempt.ts';
import { beginTools } from '../../chat/transitions/begin-tools.ts';
import { commitStep, type Step } from '../../chat/transitions/commit-step.ts';
import { expireAction } from '../../chat/transitions/expire-action.ts';
import { fail } from '../../chat/transitions/fail.ts';
import { finishInterruption } from '../../chat/transitions/finish-interruption.ts';
import { finishTurn } from '../../chat/transitions/finish-turn.ts';
import { recordRetry } from '../../chat/transitions/record-retry.ts';
import { type Awaited, requireAction } from '../../chat/transitions/require-action.ts';
import { callColumns } from '../accounting/record-call.ts';
import type { CommittedStep } from '../change.ts';
import { toJson } from '../json.ts';
import { expiredActions, findChat } from '../queries/chats/find.ts';
import { findCommit } from '../queries/messages/read.ts';
import { messageRecords } from '../queries/messages/records.ts';
import { acquireNamedChats, acquireRunnableChats } from '../queries/runs/acquire.ts';
import { beginAttemptStatement } from '../queries/runs/begin-attempt.ts';
import {
  countRunningByOwner,
  hasRunnableChats,
  lockCapacity,
  type RunnableChat,
  runnableChats,
} from '../queries/runs/capacity.ts';
import type { StepRecord } from '../queries/runs/commit-steps.ts';
import { finishTurnStatement } from '../queries/runs/finish-turn.ts';
import { heartbeat, type OwnedChat } from '../queries/runs/heartbeat.ts';
import {
  forgetDeaths,
  releaseChat,
  releaseWorker,
  restChat,
  wakeChat,
} from '../queries/runs/release.ts';
import { type TakenUpRow, takeUpChats, type TakeUpRow } from '../queries/runs/take-up-chats.ts';
import { onlyRow } from '../statement.ts';
import { StepBatches } from './step-batches.ts';
import type { TransitionExecutor } from './transition-executor.ts';
import { asRows, type Written } from './write.ts';

/** The state and versions of a chat after a write of its runner. */
export interface ChatVersions {
  readonly status: ChatRow['status'];
  readonly snapshot_version: number;
  readonly history_version: number;
}

export interface Committed extends ChatVersions {
  readonly messages: readonly MessageRow[];
  /** 1: the next attempt has begun. */
  readonly attempt: number;
}

export interface TakenUp {
  readonly chat: ChatRow;
  /** Its first attempt has begun. */
  readonly begun: boolean;
  /** When the chat last changed before. */
  readonly waitingSince: Date;
  /** The approval rules of the owner. Undefined: not read. */
  readonly approvals?: readonly ApprovalRule[];
}

/** Chooses the chats to run, given the number of running chats per user. */
export type Choose = (
  runnable: readonly RunnableChat[],
  running: ReadonlyMap<string, number>,
) => RunnableChat[];

export interface Acquired {
  readonly taken: ChatRow[];
  readonly left: RunnableChat[];
}

const RUNNABLE_LOOKED_AT = 1000;
const RUNNABLE_PER_USER = 100;
/** Numbers are unique among the steps in flight, and an integer of PostgreSQL. */
const MAX_STEP_NUMBER = 2 ** 31;

/**
 * Commands of runners. The three most frequent transitions are one statement each, whose WHERE clause has everything
 * they depend on. If it writes nothing, the transition executor runs the same command.
 */
export class RunnerCommands {
  readonly #executor: TransitionExecutor;
  readonly #batches: StepBatches;
  /** The number of the last step. */
  #steps = 0;

  constructor(executor: TransitionExecutor) {
    this.#executor = executor;
    this.#batches = new StepBatches(executor.database);
  }

  /** Acquires up to `limit` chats that should run and have no living owner. */
  acquire(workerId: string, limit: number, leaseMs: number): Promise<ChatRow[]> {
    return this.#executor.database.query(acquireRunnableChats, {
      worker_id: workerId,
      limit,
      lease_ms: leaseMs,
    });
  }

  /** Acquires those of these chats that should run and have no living owner. Waits for their locks. */
  acquireNamed(workerId: string, ids: readonly string[], leaseMs: number): Promise<ChatRow[]> {
    return this.#executor.database.query(acquireNamedChats, {
      worker_id: workerId,
      chat_ids: ids,
      lease_ms: leaseMs,
    });
  }

  /**
   * The same, and begins the first attempt of chats whose next step is a model call. `heldBack` counts chats whose user
   * has more than `perUser` active ones; `acquireWithin` decides about those.
   */
  async takeUp(
    workerId: string,
    ids: readonly string[],
    leaseMs: number,
    perUser: number | null = null,
  ): Promise<{ readonly taken: TakenUp[]; readonly heldBack: number }> {
    const rows = await this.#executor.database.query(takeUpChats, {
      worker_id: workerId,
      chat_ids: ids,
      lease_ms: leaseMs,
      limit_per_user: perUser,
    });
    const taken = rows.filter(isTaken).map((row) => {
      const { begun, waiting_since, approvals, held_back: _heldBack, ...chat } = row;
      if (begun) {
        const step = { attempt: chat.attempt, messages: [] };
        this.#committed('begin_attempt', chat.id, chat.owner_id, chat, step);
      }
      return { chat, begun, waitingSince: waiting_since, approvals: approvals ?? [] };
    });
    return { taken, heldBack: rows[0]?.held_back ?? 0 };
  }

  /**
   * The same within the limits of the deployment. Workers count and acquire one after the other. `left` are chats that
   * have to wait.
   */
  async acquireWithin(workerId: string, leaseMs: number, choose: Choose): Promise<Acquired> {
    const { found } = onlyRow(
      await this.#executor.database.query(hasRunnableChats, { lease_ms: leaseMs }),
    );
    if (!found) return { taken: [], left: [] };
    return await this.#executor.database.transaction(async (tx) => {
      const [, running, runnable] = await Promise.all([
        tx.query(lockCapacity),
        tx.query(countRunningByOwner, { lease_ms: leaseMs }),
        tx.query(runnableChats, {
          lease_ms: leaseMs,
          limit: RUNNABLE_LOOKED_AT,
          limit_per_user: RUNNABLE_PER_USER,
        }),
      ]);
      const chosen = choose(runnable, new Map(running.map((row) => [row.owner_id, row.count])));
      const left = runnable.filter((chat) => !chosen.includes(chat));
      if (chosen.length === 0) return { taken: [], left };
      const ids = chosen.map((chat) => chat.id);
      return {
        taken: await tx.query(acquireNamedChats, {
          worker_id: workerId,
          chat_ids: ids,
          lease_ms: leaseMs,
        }),
        left,
      };
    });
  }

  /** Shows clients that the chat waits for capacity. */
  async waitForCapacity(chatId: string): Promise<ChatVersions> {
    return this.#slowly('acquire', chatId, (chat) =>
      chat.runner_id === null && !chat.queued_for_capacity
        ? { chat: { queued_for_capacity: true } }
        : {},
    );
  }

  /** Releases all chats of a worker that shuts down. */
  async releaseWorker(workerId: string): Promise<void> {
    const released = await this.#executor.database.query(releaseWorker, { worker_id: workerId });
    for (const chat of released) this.#executor.publish('release', chat);
  }

  /** Chats past their action deadline. */
  async expired(limit: number): Promise<string[]> {
    const rows = await this.#executor.database.query(expiredActions, { limit });
    return rows.map(({ id }) => id);
  }

  /** Releases a chat, which stays runnable. False: the runner no longer had it. */
  async release(chatId: string, runnerId: string): Promise<boolean> {
    const rows = await this.#executor.database.query(releaseChat, {
      chat_id: chatId,
      runner_id: runnerId,
    });
    return rows.length > 0;
  }

  /** Whether the turn only waits for subagents. Such chats do not count as running. */
  async rest(chatId: string, runnerId: string, resting: boolean): Promise<void> {
    await this.#executor.database.query(resting ? restChat : wakeChat, {
      chat_id: chatId,
      runner_id: runnerId,
    });
  }

  /** Renews the lease of a worker and returns its chats. */
  heartbeat(workerId: string): Promise<OwnedChat[]> {
    return this.#executor.database.reserved.query(heartbeat, { worker_id: workerId });
  }

  async beginAttempt(chatId: string, fence: Fence, attempt: number): Promise<ChatVersions> {
    const [row] = await this.#executor.database.query(beginAttemptStatement, {
      chat_id: chatId,
      ...fence,
      attempt,
    });
    if (row === undefined) {
      return this.#slowly('begin_attempt', chatId, (chat) => beginAttempt(chat, fence, attempt));
    }
    const { snapshot_version } = row;
    const { history_version } = fence;
    const position: ChatVersions = { status: 'running', snapshot_version, history_version };
    const step = { attempt, messages: [] };
    this.#committed('begin_attempt', chatId, row.owner_id, position, step);
    return position;
  }

  async beginTools(
    chatId: string,
    fence: Fence,
    callIds: readonly string[],
  ): Promise<ChatVersions> {
    return this.#slowly('begin_tools', chatId, (chat) => beginTools(chat, fence, callIds));
  }

  async recordRetry(chatId: string, fence: Fence, retry: Retry): Promise<ChatVersions> {
    return this.#slowly('record_retry', chatId, (chat) => recordRetry(chat, fence, retry));
  }

  /** Can be repeated after a lost response: returns what the attempt has committed. */
  async commitStep(chatId: string, fence: Fence, step: Step): Promise<Committed> {
    if (step.messages.length === 0) throw new Error('A step needs at least one message.');
    const { next = 'nothing' } = step;
    this.#steps = (this.#steps + 1) % MAX_STEP_NUMBER;
    const records = messageRecords(step.messages, this.#steps);
    const { answered, opened } = callsDelta(records.messages);
    const record: StepRecord = {
      step: this.#steps,
      chat_id: chatId,
      runner: fence.runner_id,
      base_version: fence.history_version,
      base_attempt: step.attempt,
      next,
      ...(answered.length > 0 && {
        answered,
        answered_calls: answered.map((tool_call_id) => ({ tool_call_id })),
      }),
      opened,
      compacted: step.compacted === true,
      replied: step.messages.some((message) => message.role === 'assistant'),
      ...(step.call && { ...callColumns(step.call), call_config: step.call.model_config_id }),
    };
    const rows = await this.#batches.commit({
      step: record.step,
      chatId,
      record: toJson(record),
      messages: records.json,
    });
    const [first] = rows;
    if (first === undefined) return this.#commitSlowly(chatId, fence, step);
    const { snapshot_version } = first;
    const ended = next === 'finish_turn';
    const position: ChatVersions = {
      status: ended ? 'waiting' : 'running',
      snapshot_version,
      history_version: snapshot_version,
    };
    const done = {
      attempt: next === 'begin_attempt' ? 1 : 0,
      messages: asRows(chatId, snapshot_version, records.messages, rows),
    };
    const command = ended ? 'finish_turn' : 'commit_step';
    this.#committed(command, chatId, first.owner_id, position, done);
    return { ...position, ...done };
  }

  async requireAction(
    chatId: string,
    fence: Fence,
    awaited: Awaited,
    dynamicTimeoutMs: number | null,
  ): Promise<ChatVersions> {
    return this.#slowly('require_action', chatId, (chat) =>
      requireAction(chat, fence, awaited, dynamicTimeoutMs),
    );
  }

  /** If messages are queued, the next turn begins under the same runner: `messages` are those that joined. */
  async finishTurn(chatId: string, fence: Fence): Promise<Committed> {
    const [row] = await this.#executor.database.query(finishTurnStatement, {
      chat_id: chatId,
      ...fence,
    });
    if (row === undefined) {
      return this.#slowly('finish_turn', chatId, (chat) => finishTurn(chat, fence));
    }
    const { snapshot_version } = row;
    const { history_version } = fence;
    const position: ChatVersions = { status: 'waiting', snapshot_version, history_version };
    // The end of a turn does not change the attempt.
    const done = { attempt: row.attempt, messages: [] };
    this.#committed('finish_turn', chatId, row.owner_id, position, done);
    return { ...position, ...done };
  }

  finishInterruption(chatId: string, fence: Fence, partial: Step): Promise<Committed> {
    return this.#slowly('finish_interruption', chatId, (chat) =>
      finishInterruption(chat, fence, partial, this.#executor.now()),
    );
  }

  /** Ends the turn with an error instead of running it again. */
  async setAside(chatId: string, fence: Fence, error: ChatError): Promise<void> {
    await this.fail(chatId, fence, error);
    await this.#executor.database.query(forgetDeaths, { chat_id: chatId });
  }

  async fail(chatId: string, fence: Fence, error: ChatError): Promise<ChatVersions> {
    return this.#slowly('fail', chatId, (chat) => fail(chat, fence, error));
  }

  /** Needs no fence: a waiting chat has no runner. */
  async expireAction(chatId: string): Promise<Committed> {
    return this.#slowly('expire_action', chatId, (chat) =>
      expireAction(chat, chat.action_expired, this.#executor.now()),
    );
  }

  async #commitSlowly(chatId: string, fence: Fence, step: Step): Promise<Committed> {
    try {
      return await this.#slowly('commit_step', chatId, (chat) => commitStep(chat, fence, step));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const messages = await this.#executor.database.query(findCommit, {
        chat_id: chatId,
        runner_id: fence.runner_id,
        base_version: fence.history_version,
        attempt: step.attempt,
      });
      const [first] = messages;
      if (first === undefined) throw error;
      const [chat] = await this.#executor.database.query(findChat, { id: chatId });
      // The next write finds out what has changed since.
      const same = chat?.history_version === first.revision ? chat : undefined;
      return {
        status: same?.status ?? 'running',
        snapshot_version: same?.snapshot_version ?? first.revision,
        history_version: first.revision,
        attempt: same?.attempt ?? 0,
        messages,
      };
    }
  }

  async #slowly(
    command: Parameters<TransitionExecutor['perform']>[0],
    chatId: string,
    decide: Parameters<TransitionExecutor['perform']>[2],
  ): Promise<Committed> {
    return committed(await this.#executor.perform(command, chatId, decide));
  }

  #committed(
    command: Parameters<TransitionExecutor['publish']>[0],
    id: string,
    owner_id: string,
    { status, snapshot_version, history_version }: ChatVersions,
    step: Omit<CommittedStep, 'history_version'>,
  ): void {
    const chat = { id, owner_id, status, snapshot_version };
    this.#executor.publish(command, chat, { step: { ...step, history_version } });
  }
}

const isTaken = (row: TakeUpRow): row is TakenUpRow & TakeUpRow => row.id !== null;

const committed = ({ chat, messages }: Written): Committed => ({
  status: chat.status,
  snapshot_version: chat.snapshot_version,
  history_version: chat.history_version,
  attempt: chat.attempt,
  messages,
});
