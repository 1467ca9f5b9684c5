import {
  type AgUiRunInput,
  type BusyBehavior,
  type Json,
  type ReasoningEffort,
} from '@chatd/protocol';
import { authorIn, type Sender } from '../chat/author.ts';
import { isAwaited } from '../chat/open-calls.ts';
import { foundRow, refusedField } from '../chat/refused.ts';
import type { ChatRow, MessageRow, QueuedRow, StoredPart } from '../chat/row.ts';
import type { ToolResult } from '../chat/transitions/submit-tool-results.ts';
import type { NewMessage } from '../chat/writes.ts';
import { type CallAnswers, type OnRemembered, submitAnswers } from '../protocols/call-answers.ts';
import { storedContent } from '../protocols/input-files.ts';
import { createWithHistory, newChat } from '../protocols/new-chat.ts';
import { noModel, requestedModel } from '../store/model-configs.ts';
import { lockChat } from '../store/queries/chats/lock.ts';
import { messagesBefore } from '../store/queries/messages/read.ts';
import { readQueue } from '../store/queries/queued-messages.ts';
import { chooseModelConfig } from '../store/queries/model-configs.ts';
import type { Queryable } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import type { TurnStart } from '../stream/streams.ts';
import { historyOf, originOf, withOrigin } from './history.ts';
import { answerOf, decisionOf, type ResumeEntry } from './interrupts.ts';
import type { RunStart } from './run-events.ts';
import {
  clientIdsOf,
  lastUserMessages,
  type PostedMessage,
  spokenIn,
  storeMessages,
  systemPromptOf,
  textIn,
  toolsOf,
} from './run-input.ts';

/** The messages in which those of the client are looked for: at least this many, and the whole last turn. */
const PAGE = 100;

export interface RunOptions {
  readonly busy_behavior: BusyBehavior;
  readonly model_config_id?: string | undefined;
  readonly reasoning_effort?: ReasoningEffort | undefined;
}

/** What the input of a run answers. */
interface RunAnswers extends CallAnswers {
  /** Of the answered calls, and of the client's messages with the answers. */
  readonly ids: ReadonlySet<string>;
}

/** A run that has begun. */
export interface BegunRun {
  readonly turn: TurnStart;
  readonly start: RunStart;
}

/** Performs the input of a run as commands on a chat. */
export class RunCommands {
  readonly #store: Store;
  readonly #sender: Sender;
  readonly #input: AgUiRunInput;
  readonly #options: RunOptions;
  readonly #posted: readonly PostedMessage[];

  private constructor(
    store: Store,
    sender: Sender,
    input: AgUiRunInput,
    options: RunOptions,
    posted: readonly PostedMessage[],
  ) {
    this.#store = store;
    this.#sender = sender;
    this.#input = input;
    this.#options = options;
    this.#posted = posted;
  }

  /** Stores files before the transaction, because it may take long. */
  static async prepare(
    store: Store,
    sender: Sender,
    input: AgUiRunInput,
    options: RunOptions,
  ): Promise<RunCommands> {
    const posted = await storeMessages(store, sender.id, lastUserMessages(input));
    return new RunCommands(store, sender, input, options, posted);
  }

  /** Whether the input changes what only the owner of the chat may change. */
  changesSettings(chat: ChatRow): boolean {
    const { tools, context, messages, resume = [] } = this.#input;
    const { model_config_id, reasoning_effort } = this.#options;
    return (
      resume.some(remembers) ||
      (tools.length > 0 &&
        JSON.stringify(toolsOf(this.#input)) !== JSON.stringify(chat.dynamic_tools)) ||
      context.length > 0 ||
      messages.some(({ role }) => role === 'system' || role === 'developer') ||
      model_config_id !== undefined ||
      reasoning_effort !== undefined
    );
  }

  /** In a new chat, with what the client says was said before. */
  async create(chatId: string): Promise<BegunRun> {
    if (this.#posted.length === 0) {
      throw refusedField('messages', 'must end with a user message in a new thread');
    }
    const { database, creation } = this.#store;
    const content = await this.#content(database, this.#posted);
    const chat = newChat(content, {
      id: chatId,
      owner_id: this.#sender.id,
      reasoning_effort: this.#options.reasoning_effort ?? null,
      system_prompt: systemPromptOf(this.#input, null),
      dynamic_tools: toolsOf(this.#input),
    });
    const model_config_id = this.#options.model_config_id ?? null;
    const earlier = spokenIn(this.#input).slice(0, -this.#posted.length);
    if (earlier.length === 0) {
      const asked = { ...chat, content, model_config_id, mcp_server_ids: null };
      const created = await creation.createRequested(asked, undefined);
      const turn = { chat: created.chat, after: created.messages[0]?.id ?? 0, created };
      return { turn, start: this.#start(created.chat, turn.after) };
    }
    return await database.transaction(async (tx) => {
      const wanted = { model_config_id, owner_id: chat.owner_id };
      const [model] = await tx.query(chooseModelConfig, wanted);
      if (model === undefined) throw noModel(model_config_id);
      const by = { created_by: chat.owner_id, model_config_id: model.id };
      const history = earlier.flatMap((message): NewMessage[] => {
        const { id: client_id, role } = message;
        const text = textIn(message);
        if (role === 'tool' || text.trim() === '') return [];
        const parts = withOrigin([{ type: 'text', text }], { client_id });
        return role === 'user'
          ? [{ role, content: parts, ...by }]
          : [{ role: 'assistant', content: parts, meta: { finish_reason: 'stop' } }];
      });
      const asked = { ...chat, model_config_id: model.id };
      const all: NewMessage[] = [...history, { role: 'user', content, ...by }];
      const created = await createWithHistory(creation, asked, 'running', all, tx);
      const after = created.messages.at(-1)?.id ?? 0;
      return { turn: { chat: created.chat, after }, start: this.#start(created.chat, after) };
    });
  }

  /**
   * In an existing chat. The lock makes concurrent requests with the same message take turns. `onRemembered` is called in
   * the transaction that adds approval rules.
   */
  async continue(chatId: string, onRemembered: OnRemembered): Promise<BegunRun> {
    return await this.#store.database.transaction(async (tx) => {
      const chat = foundRow(await tx.query(lockChat, { id: chatId }));
      const rows = await newestRows(chatId, tx);
      const queue = await tx.query(readQueue, { chat_id: chatId });
      const known = new Set([...rows, ...queue].flatMap(clientIdsIn));
      const news = this.#posted.filter(({ id }) => !known.has(id) && !isOurs(id));
      await this.#update(chat, tx);
      const answers = this.#answersTo(chat);
      const after = rows.at(-1)?.id ?? 0;
      const isStale = this.#isStale(rows, new Set(news.map(({ id }) => id)), answers?.ids);
      // Before the answers: a message that steers joins the history together with them.
      const sent =
        news.length > 0
          ? await this.#send(chat, news, after, isStale, answers !== undefined, tx)
          : this.#begun(chat, after, { isStale });
      if (answers !== undefined) {
        const now = await submitAnswers(this.#store, chat, this.#sender.id, answers, {
          tx,
          onRemembered,
        });
        return { ...sent, turn: { ...sent.turn, chat: now } };
      }
      if (news.length > 0) return sent;
      const ids = new Set(this.#posted.map(({ id }) => id));
      const waiting = queue.findLast((entry) =>
        clientIdsIn(entry).some((id) => id !== undefined && ids.has(id)),
      );
      if (waiting !== undefined) return await this.#awaitTurnOf(waiting, chat, after, isStale, tx);
      const again = this.#questionToRepeat(chat, rows);
      if (again === undefined) {
        const interrupted = chat.status === 'waiting' && chat.interrupted;
        return this.#begun(chat, after, { isStale, interrupted });
      }
      const written = await this.#store.client.regenerate(
        chatId,
        again.id,
        await this.#how(chat, tx),
        tx,
      );
      const before = rows.filter(({ id }) => id <= again.id);
      return this.#begun(written.chat, again.id, { isStale: this.#isStale(before, new Set()) });
    });
  }

  async #send(
    chat: ChatRow,
    news: readonly PostedMessage[],
    newest: number,
    isStale: boolean,
    steers: boolean,
    tx: Transaction,
  ): Promise<BegunRun> {
    const message = {
      ...(await this.#how(chat, tx)),
      ...authorIn(chat, this.#sender),
      content: await this.#content(tx, news, chat.id),
      busy_behavior: steers ? ('steer' as const) : this.#options.busy_behavior,
    };
    const written = await this.#store.client.send(chat.id, message, tx, chat.owner_id);
    if (written.queued !== null) {
      const { id } = written.queued;
      const own = new Set([id]);
      // With answers, the turn goes on, and the message joins it.
      const queued = steers ? undefined : id;
      return this.#begun(written.chat, newest, { isStale, own, queued });
    }
    const sent = written.messages.findLast(({ role }) => role === 'user');
    if (sent === undefined)
      throw new Error('A message was neither queued nor added to the history.');
    if (steers) return this.#begun(written.chat, newest, { isStale, own: new Set([sent.id]) });
    // Open calls were canceled, or queued messages came first.
    const isAlone = written.messages.length === 1;
    return this.#begun(written.chat, sent.id, { isStale: isStale || !isAlone });
  }

  /** A repeated request, whose message is still queued. After a failed turn, it starts the next one. */
  async #awaitTurnOf(
    { id }: QueuedRow,
    chat: ChatRow,
    newest: number,
    isStale: boolean,
    tx: Transaction,
  ): Promise<BegunRun> {
    const written =
      chat.status === 'error' ? await this.#store.client.promoteQueued(chat.id, id, tx) : { chat };
    return this.#begun(written.chat, newest, { isStale, own: new Set([id]), queued: id });
  }

  /** Results and answers that the chat waits for. Undefined: there are none. */
  #answersTo(chat: ChatRow): RunAnswers | undefined {
    const awaited = new Map(
      chat.open_calls.filter(isAwaited).map((call) => [call.tool_call_id, call]),
    );
    const kindOf = (id: string | undefined) => awaited.get(id ?? '')?.kind;
    const answers = new Map<string, Pick<ResumeEntry, 'status' | 'payload'>>();
    const results: ToolResult[] = [];
    const ids = new Set<string>();
    for (const message of this.#input.messages) {
      const { role, toolCallId, id, error } = message;
      if (role !== 'tool' || toolCallId === undefined || ids.has(toolCallId)) continue;
      const kind = kindOf(toolCallId);
      if (kind !== 'dynamic' && kind !== 'question') continue;
      const output = error ?? textIn(message);
      if (kind === 'question') answers.set(toolCallId, { status: 'resolved', payload: output });
      else
        results.push({
          tool_call_id: toolCallId,
          output,
          ...(error !== undefined && { is_error: true }),
        });
      ids.add(toolCallId).add(id);
    }
    const resume = this.#input.resume ?? [];
    const decisions = resume
      .filter((entry) => kindOf(entry.interruptId) === 'approval')
      .map(decisionOf);
    for (const entry of resume) {
      if (kindOf(entry.interruptId) === 'question') answers.set(entry.interruptId, entry);
    }
    if (results.length + decisions.length + answers.size === 0) return undefined;
    const given = [...answers].map(([callId, entry]) => ({
      callId,
      answer: answerOf(awaited.get(callId)?.tool_name ?? '', entry),
    }));
    return { results, decisions, answers: given, ids };
  }

  /** Only the owner's clients change settings: see `changesSettings`. */
  async #update(chat: ChatRow, tx: Transaction): Promise<void> {
    if (chat.owner_id !== this.#sender.id) return;
    const dynamic_tools = toolsOf(this.#input);
    const system_prompt = systemPromptOf(this.#input, chat.system_prompt);
    const isSame =
      JSON.stringify(dynamic_tools) === JSON.stringify(chat.dynamic_tools) &&
      system_prompt === chat.system_prompt;
    if (!isSame) await this.#store.client.update(chat.id, { dynamic_tools, system_prompt }, tx);
  }

  /** A new run that ends with the last question of an idle chat asks for another answer. */
  #questionToRepeat({ status }: ChatRow, rows: readonly MessageRow[]): MessageRow | undefined {
    if (status !== 'waiting' && status !== 'error') return undefined;
    const posted = this.#posted.at(-1);
    const question = rows.findLast(({ role }) => role === 'user');
    if (posted === undefined || question === undefined) return undefined;
    const { runId } = this.#input;
    const isSame = question.content.some((part) => originOf(part).client_id === posted.id);
    const isRepeated = question.content.some((part) => originOf(part).run_id === runId);
    return (isSame || posted.id === `m${question.id}`) && !isRepeated ? question : undefined;
  }

  /** Compares the last messages of both, without those that are new. */
  #isStale(
    rows: readonly MessageRow[],
    news: ReadonlySet<string>,
    answered: ReadonlySet<string> = new Set(),
  ): boolean {
    const last = spokenIn(this.#input).findLast(({ id }) => !news.has(id) && !answered.has(id));
    const history = historyOf(rows, clientIdsOf(this.#input));
    const stored = history.findLast(({ role }) => role !== 'reasoning');
    if (last === undefined || stored === undefined) return last !== stored;
    if (last.id !== stored.id) return true;
    return stored.role === 'assistant' && (stored.content ?? '') !== textIn(last);
  }

  async #how(chat: ChatRow, tx: Transaction) {
    const { model_config_id, reasoning_effort = null } = this.#options;
    return {
      model_config_id: await requestedModel(tx, model_config_id, chat.owner_id),
      reasoning_effort,
    };
  }

  async #content(
    db: Queryable,
    posted: readonly PostedMessage[],
    chatId?: string,
  ): Promise<StoredPart[]> {
    const content: StoredPart[] = [];
    for (const { id: client_id, parts } of posted) {
      const stored = await storedContent(db, this.#sender.id, parts, { chatId });
      content.push(...withOrigin(stored, { client_id, run_id: this.#input.runId }));
    }
    return content;
  }

  #begun(chat: ChatRow, after: number, more: Partial<RunStart>): BegunRun {
    return { turn: { chat, after }, start: { ...this.#start(chat, after), ...more } };
  }

  #start(chat: ChatRow, after: number): RunStart {
    const { threadId, runId } = this.#input;
    return {
      chatId: chat.id,
      threadId,
      runId,
      after,
      queued: undefined,
      own: new Set(),
      results: clientIdsOf(this.#input).results,
      isStale: false,
      interrupted: false,
    };
  }
}

/** The newest messages, oldest first, from the beginning of the last turn or before it. */
async function newestRows(chatId: string, tx: Transaction): Promise<MessageRow[]> {
  const newestFirst: MessageRow[] = [];
  for (;;) {
    const page = await tx.query(messagesBefore, {
      chat_id: chatId,
      before_id: newestFirst.at(-1)?.id ?? null,
      limit: PAGE,
    });
    newestFirst.push(...page);
    if (page.length < PAGE || page.some(beginsTurn)) return newestFirst.toReversed();
  }
}

const beginsTurn = ({ role, meta }: MessageRow): boolean =>
  role === 'user' && (meta as { readonly steered?: Json } | null)?.steered !== true;

const clientIdsIn = ({ content }: Pick<MessageRow, 'content'>) =>
  content.map((part) => originOf(part).client_id);

/** Rules are the owner's, and apply to their other chats. */
const remembers = ({ payload }: ResumeEntry): boolean =>
  typeof payload === 'object' && payload !== null && 'remember' in payload;

/** Ids of messages that the client got in events. */
const isOurs = (id: string): boolean => /^m[1-9][0-9]*$/.test(id);
