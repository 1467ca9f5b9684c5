import type { Transaction } from '../../src/store/transaction.ts';
import { Refused } from '../../src/chat/refused.ts';
import type { MessageRow } from '../../src/chat/row.ts';
import type { NewMessage } from '../../src/chat/writes.ts';
import { listVersions } from '../../src/store/queries/messages/versions.ts';
import { statement } from '../../src/store/statement.ts';
import type { Committed, ChatVersions } from '../../src/store/commands/runner-commands.ts';
import type { Written } from '../../src/store/commands/write.ts';
import { calls, line, results, says, type TestStore, text } from '@chatd/test-server/database';
import { type Command, type Fence as ModelFence, kindOf, type Next, type Seen } from './model.ts';

/** Includes versions that cannot be reached. */
export const VERSION_IDS = statement<{ chat_id: string }, { id: number }>(
  'version-ids-of-a-test',
  'SELECT id FROM chat_versions WHERE chat_id = :chat_id ORDER BY id',
);

const FAILURE = { kind: 'generic', message: 'It broke.', retryable: false } as const;
const UNKNOWN_ID = 4_000_000_000;
const UNKNOWN_RUNNER = '00000000-0000-4000-8000-000000000000';

/** The result of a command: its refusal, or the version of the chat after it. */
export interface Outcome {
  readonly refusal: string | null;
  readonly snapshot: number | null;
  /** The first attempt began with the acquisition. */
  readonly begun: boolean;
}

/** No chat runs long enough for its lease to expire. */
const LEASE_MS = 3_600_000;

/** Performs the model's commands on a real chat, and reads the chat in the model's terms. */
export class Conductor {
  readonly store: TestStore;
  readonly chatId: string;
  readonly #messageIds = new Map<string, number>();
  readonly #queuedIds = new Map<string, number>();
  /** Ids of runners by their names in the model. The database generates a new id for every acquisition. */
  readonly #runners = new Map<string, string>();

  static async start(store: TestStore, first: string): Promise<Conductor> {
    const { id } = await store.create({ content: text(first) });
    const conductor = new Conductor(store, id);
    conductor.#learn({ messages: await store.history(id) });
    return conductor;
  }

  private constructor(store: TestStore, chatId: string) {
    this.store = store;
    this.chatId = chatId;
  }

  async perform(command: Command, tx?: Transaction): Promise<Outcome> {
    try {
      const done = await this.#perform(command, tx);
      return { refusal: null, snapshot: null, begun: false, ...done };
    } catch (error) {
      if (error instanceof Refused) return { refusal: error.code, snapshot: null, begun: false };
      throw error;
    }
  }

  async see(): Promise<Seen> {
    const [row, queue, history, versions, ids] = await Promise.all([
      this.store.read(this.chatId),
      this.store.queue(this.chatId),
      this.store.history(this.chatId),
      this.store.database.query(listVersions, { chat_id: this.chatId }),
      this.#versionIds(),
    ]);
    // A client that sees a message can refer to it, even before its sender gets the response.
    this.#learn({ messages: history });
    for (const { content, id } of queue) this.#queuedIds.set(firstText(content), id);
    return {
      status: row.status,
      archived: row.archived,
      deleted: row.deleted_at !== null,
      title: row.title,
      queue: queue.map(({ content, busy_behavior }) => ({
        text: firstText(content),
        behavior: busy_behavior,
      })),
      history: history.map((row) =>
        row.hidden ? `summary: ${firstText(row.content)}` : line(row),
      ),
      versions: versions.map(({ id, after_id, is_current }) => ({
        number: ids.indexOf(id) + 1,
        after: history.filter((message) => message.id <= after_id).length,
        current: is_current,
      })),
      open: row.open_calls.map((call) => call.tool_call_id),
      asked: Object.fromEntries(
        row.open_calls.flatMap(({ tool_call_id, kind }) =>
          kind === null ? [] : [[tool_call_id, kind]],
        ),
      ),
      decided: row.open_calls
        .filter(({ decision }) => decision !== undefined)
        .map((call) => call.tool_call_id),
      runner: row.runner_id === null ? null : this.#nameOf(row.runner_id),
      queuedForCapacity: row.queued_for_capacity,
      compactionRequested: row.compaction_requested,
      retrying: row.retry !== null,
      failed: row.last_error !== null,
      interrupted: row.interrupted,
      attempt: row.attempt,
      snapshot: row.snapshot_version,
      historyVersion: row.history_version,
      queueVersion: row.queue_version,
      replyVersion: row.reply_version,
      retryVersion: row.retry_version,
      resetVersion: row.reset_version,
    };
  }

  async #perform(command: Command, tx?: Transaction): Promise<Partial<Outcome>> {
    const { client } = this.store;
    const id = this.chatId;
    switch (command.do) {
      case 'send': {
        const message = this.store.message(command.text, command.behavior);
        return this.#written(await client.send(id, message, tx));
      }
      case 'edit': {
        const edit = {
          content: text(command.text),
          model_config_id: null,
          reasoning_effort: null,
          created_by: this.store.owner,
        };
        const target = this.#messageIds.get(command.target) ?? UNKNOWN_ID;
        return this.#written(await client.editMessage(id, target, edit, tx));
      }
      case 'regenerate': {
        const target = this.#messageIds.get(command.target) ?? UNKNOWN_ID;
        const how = { model_config_id: null, reasoning_effort: null };
        return this.#written(await client.regenerate(id, target, how, tx));
      }
      case 'select': {
        const version = (await this.#versionIds())[command.version - 1] ?? UNKNOWN_ID;
        return this.#written(await client.selectVersion(id, version, tx));
      }
      case 'delete_queued':
        return this.#written(await client.deleteQueued(id, this.#queued(command.target), tx));
      case 'move_queued': {
        const { position } = command;
        const edit = { content: null, position, busy_behavior: null };
        return this.#written(
          await client.editQueued(id, { ...edit, id: this.#queued(command.target) }, tx),
        );
      }
      case 'promote':
        return this.#written(await client.promoteQueued(id, this.#queued(command.target), tx));
      case 'interrupt':
        return this.#written(await client.interrupt(id, tx));
      case 'compact':
        return this.#written(await client.requestCompaction(id, tx));
      case 'archive':
        return this.#written(await client.setArchived(id, true, tx));
      case 'unarchive':
        return this.#written(await client.setArchived(id, false, tx));
      case 'delete':
        return this.#written(await client.delete(id, tx));
      case 'restore':
        return this.#written(await client.restore(id, tx));
      case 'rename':
        return this.#written(await client.update(id, { title: command.title }, tx));
      case 'submit': {
        const answers = command.ids.map((tool_call_id) => ({ tool_call_id, output: 'ok' }));
        return this.#written(await client.submitToolResults(id, answers, tx));
      }
      case 'decide': {
        const decisions = command.ids.map((tool_call_id, index) => ({
          tool_call_id,
          decision: index % 2 === 0 ? ('allow' as const) : ('deny' as const),
        }));
        const chat = { id, owner_id: this.store.owner };
        return this.#written(await this.store.approvals.decide(chat, decisions, tx));
      }
      case 'reply':
        return this.#written(await this.store.approvals.answer(id, command.id, 'Yes', tx));
      case 'expire': {
        const done = await this.store.runner.expireAction(id);
        this.#learn(done);
        return { snapshot: done.snapshot_version };
      }
      case 'take_up':
      case 'sweep':
        return this.#acquire(command);
      case 'release': {
        const runnerId = this.#runners.get(command.runner) ?? UNKNOWN_RUNNER;
        if (await this.store.runner.release(id, runnerId)) return {};
        throw new Refused('not_runnable', '');
      }
      case 'wait_for_capacity': {
        const { snapshot_version } = await this.store.runner.waitForCapacity(id);
        return { snapshot: snapshot_version };
      }
      case 'begin':
      case 'retry':
      case 'say':
      case 'call':
      case 'answer':
      case 'summarize':
      case 'require':
      case 'finish':
      case 'finish_interruption':
      case 'fail':
        return { snapshot: await this.#run(command) };
    }
  }

  /** As workers do: `take_up` after a hint about this chat, `sweep` for all runnable chats. */
  async #acquire(
    command: Extract<Command, { do: 'take_up' | 'sweep' }>,
  ): Promise<Partial<Outcome>> {
    const { runner, worker } = this.store;
    const acquired =
      command.do === 'take_up'
        ? (await runner.takeUp(worker, [this.chatId], LEASE_MS)).taken
        : // Only this test uses the database: other runnable chats are from earlier sequences.
          (await runner.acquire(worker, 100, LEASE_MS)).map((chat) => ({ chat, begun: false }));
    await runner.heartbeat(worker);
    const mine = acquired.find(({ chat }) => chat.id === this.chatId);
    if (mine === undefined || mine.chat.runner_id === null) throw new Refused('not_runnable', '');
    this.#runners.set(command.runner, mine.chat.runner_id);
    return { snapshot: mine.chat.snapshot_version, begun: mine.begun };
  }

  async #run(command: Extract<Command, { fence: ModelFence }>): Promise<number> {
    const { runner } = this.store;
    const id = this.chatId;
    const fence = {
      runner_id: this.#runners.get(command.fence.runner) ?? UNKNOWN_RUNNER,
      history_version: command.fence.version,
    };
    const perform = async (): Promise<ChatVersions & Partial<Committed>> => {
      switch (command.do) {
        case 'begin':
          return runner.beginAttempt(id, fence, command.attempt);
        case 'retry':
          return runner.recordRetry(id, fence, {
            attempt: 1,
            delay_ms: 1,
            retrying_at: new Date().toISOString(),
            kind: 'timeout',
            retryable: true,
            provider: 'demo',
            error: 'again',
          });
        case 'say':
          return runner.commitStep(id, fence, {
            messages: [says(command.text)],
            attempt: command.attempt,
            ...nextOf(command),
          });
        case 'call':
          return runner.commitStep(id, fence, {
            messages: [calls(...command.ids)],
            attempt: command.attempt,
            ...nextOf(command),
          });
        case 'answer':
          return runner.commitStep(id, fence, {
            messages: [results(...command.ids)],
            attempt: command.attempt,
            ...nextOf(command),
          });
        case 'summarize':
          return runner.commitStep(id, fence, {
            messages: [
              calls(command.text),
              results(command.text),
              ...(command.fails ? [] : [summary(command.text)]),
            ],
            attempt: command.attempt,
            compacted: true,
            ...nextOf(command),
          });
        case 'require': {
          const { open_calls } = await this.store.read(id);
          const awaited = open_calls.map(
            ({ tool_call_id }) => [tool_call_id, kindOf(tool_call_id, command.pick)] as const,
          );
          return runner.requireAction(id, fence, Object.fromEntries(awaited), 0);
        }
        case 'finish':
          return runner.finishTurn(id, fence);
        case 'finish_interruption': {
          const messages = command.text === null ? [] : [says(command.text)];
          return runner.finishInterruption(id, fence, { messages, attempt: command.attempt });
        }
        case 'fail':
          return runner.fail(id, fence, FAILURE);
      }
    };
    const done = await perform();
    this.#learn({ messages: done.messages ?? [] });
    return done.snapshot_version;
  }

  #written(written: Written): Partial<Outcome> {
    this.#learn(written);
    if (written.queued !== null) {
      this.#queuedIds.set(firstText(written.queued.content), written.queued.id);
    }
    if (written.edited !== null) this.#learn({ messages: [written.edited] });
    return { snapshot: written.chat.snapshot_version };
  }

  #learn({ messages }: { readonly messages: readonly MessageRow[] }): void {
    for (const { id, role, hidden, content } of messages) {
      if (role === 'user' && !hidden) this.#messageIds.set(firstText(content), id);
    }
  }

  /** In order of creation. */
  async #versionIds(): Promise<number[]> {
    const rows = await this.store.database.query(VERSION_IDS, { chat_id: this.chatId });
    return rows.map(({ id }) => id);
  }

  #queued(target: string): number {
    return this.#queuedIds.get(target) ?? UNKNOWN_ID;
  }

  #nameOf(runnerId: string): string {
    for (const [name, known] of this.#runners) if (known === runnerId) return name;
    return runnerId;
  }
}

const nextOf = ({ next }: { readonly next: Next }) => (next === 'nothing' ? {} : { next });

const summary = (value: string): NewMessage => ({
  role: 'user',
  hidden: true,
  content: text(value),
});

const firstText = (content: MessageRow['content']): string => {
  const [part] = content;
  return part?.type === 'text' ? part.text : '';
};
