import { type DynamicTool, DynamicTools, type InputPart, Labels } from '@chatd/protocol';
import { CANCELLED, isAwaited } from '../chat/open-calls.ts';
import { refusedField } from '../chat/refused.ts';
import type { ChatRow, StoredPart } from '../chat/row.ts';
import type { ToolResult } from '../chat/transitions/submit-tool-results.ts';
import type { ChatChanges } from '../chat/transitions/update.ts';
import type { NewMessage } from '../chat/writes.ts';
import { sentMessage } from '../present/sent-message.ts';
import { answerIn, submitAnswers } from '../protocols/call-answers.ts';
import { storedContent, storeFiles } from '../protocols/input-files.ts';
import { createWithHistory, newChat } from '../protocols/new-chat.ts';
import { UNSTORED } from '../store/queries/chats/purge.ts';
import { messageOfCall } from '../store/queries/messages/read.ts';
import { turnStart } from '../store/queries/messages/turn-start.ts';
import { onlyRow } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import { withinTransaction } from '../store/transaction-scope.ts';
import type { Transaction } from '../store/transaction.ts';
import type { TurnStart } from '../stream/streams.ts';
import type { StartPoint } from '../protocols/turn-ref.ts';
import type { Draft, Input } from './input.ts';
import { findModel, isDefault, modelName, type ModelNames, type NamedModel } from './models.ts';

/** What a request asks for, in the terms of chatd. */
export interface Wish {
  readonly userId: string;
  readonly input: Input;
  readonly model?: string | null | undefined;
  readonly instructions?: string | null | undefined;
  readonly tools?: readonly DynamicTool[] | null | undefined;
  readonly effort?: ChatRow['reasoning_effort'] | undefined;
  readonly metadata: Readonly<Record<string, string>> | null | undefined;
  readonly stored: boolean;
}

/** A response that has begun. */
export interface Begun {
  readonly chat: ChatRow;
  readonly start: StartPoint;
  readonly createdAt: Date;
  /** The name of its model. */
  readonly model: string;
  readonly turn: TurnStart;
}

/** Drafts with stored files. */
type Ready =
  | Exclude<Draft, { role: 'user' }>
  | { readonly role: 'user'; readonly parts: readonly InputPart[] };

/** Performs requests as commands on chats. */
export class ResponseCommands {
  readonly #store: Store;
  readonly #models: ModelNames;
  readonly #wish: Wish;
  readonly #drafts: readonly Ready[];

  private constructor(store: Store, models: ModelNames, wish: Wish, drafts: readonly Ready[]) {
    this.#store = store;
    this.#models = models;
    this.#wish = wish;
    this.#drafts = drafts;
  }

  /** Stores the files before the transaction, because it may take long. */
  static async prepare(store: Store, models: ModelNames, wish: Wish): Promise<ResponseCommands> {
    const labels = wish.metadata ? Labels.safeParse(wish.metadata) : undefined;
    if (labels?.success === false) {
      throw refusedField('metadata', labels.error.issues[0]?.message ?? 'is not valid');
    }
    const drafts: Ready[] = [];
    for (const draft of wish.input.drafts) {
      if (draft.role !== 'user') drafts.push(draft);
      else drafts.push({ role: 'user', parts: await storeFiles(store, wish.userId, draft.parts) });
    }
    if (wish.tools) checkTools(wish.tools);
    return new ResponseCommands(store, models, wish, drafts);
  }

  /** In a new chat. */
  async create(tx: Transaction | undefined): Promise<Begun> {
    const last = this.#drafts.at(-1);
    if (last === undefined || last.role === 'assistant') {
      throw refusedField('input', 'must end with a user message or a function output');
    }
    if (this.#drafts.every(({ role }) => role === 'user')) return await this.#createSimple(tx);
    const { chat, messages, model } = await this.#createWithHistory('running', tx);
    const end = messages.at(-1);
    const answered = messages.findLast(({ role }) => role === 'assistant');
    const start: StartPoint =
      last.role === 'user'
        ? { kind: 'message', id: end?.id ?? 0 }
        : { kind: 'calls', id: answered?.id ?? 0 };
    return begun(chat, start, chat.created_at, model);
  }

  /** An idle chat with this input as its history. */
  async createIdle(tx: Transaction | undefined): Promise<ChatRow> {
    return (await this.#createWithHistory('waiting', tx)).chat;
  }

  /** In an existing chat, at the end of its history. */
  async continue(chat: ChatRow, tx: Transaction | undefined): Promise<Begun> {
    return await withinTransaction(this.#store.database, tx, (tx) => this.#continue(chat, tx));
  }

  /** Undefined: the request names none. */
  async requestedModel(tx: Transaction): Promise<NamedModel | undefined> {
    const { model, userId } = this.#wish;
    return model ? await findModel(tx, userId, model) : undefined;
  }

  async #createSimple(tx: Transaction | undefined): Promise<Begun> {
    const parts = this.#drafts.flatMap((draft) => (draft.role === 'user' ? draft.parts : []));
    const content = await this.#content(parts, tx);
    const db = tx ?? this.#store.database;
    const { userId, model } = this.#wish;
    const wanted = isDefault(model) ? undefined : await this.#models.find(db, userId, model);
    const model_config_id = wanted?.config.id ?? null;
    const asked = { ...this.#newChat(content), content, model_config_id };
    const created = await this.#store.creation.createRequested(
      { ...asked, mcp_server_ids: null },
      tx,
    );
    const { chat, messages } = created;
    const id = messages[0]?.id ?? 0;
    const name = wanted?.name ?? (await this.#models.nameOf(db, userId, chat.model_config_id));
    return {
      ...begun(chat, { kind: 'message', id }, chat.created_at, name),
      turn: { chat, after: 0, created },
    };
  }

  async #createWithHistory(status: 'running' | 'waiting', outer: Transaction | undefined) {
    return await withinTransaction(this.#store.database, outer, async (tx) => {
      const { userId, model } = this.#wish;
      const { name, config } = await findModel(tx, userId, model);
      const history = await this.#history(config.id, tx);
      const content = history.findLast(({ role }) => role === 'user')?.content ?? [];
      const chat = { ...this.#newChat(content), model_config_id: config.id };
      const { creation } = this.#store;
      return { ...(await createWithHistory(creation, chat, status, history, tx)), model: name };
    });
  }

  #newChat(content: readonly StoredPart[]) {
    const { userId, tools, effort, metadata, stored } = this.#wish;
    const chat = newChat(content, {
      owner_id: userId,
      reasoning_effort: effort ?? null,
      system_prompt: this.#instructions ?? null,
      labels: { ...metadata, ...(!stored && { [UNSTORED.name]: UNSTORED.value }) },
      dynamic_tools: tools ?? [],
    });
    // A chat that is not kept needs no generated title.
    return stored ? chat : { ...chat, title: 'Unstored response', title_source: 'user' as const };
  }

  get #instructions(): string | undefined {
    const { instructions, input } = this.#wish;
    const all = [...(instructions ? [instructions] : []), ...input.instructions];
    return all.length === 0 ? undefined : all.join('\n\n');
  }

  async #content(parts: readonly InputPart[], tx: Transaction | undefined): Promise<StoredPart[]> {
    return await storedContent(tx ?? this.#store.database, this.#wish.userId, parts, {
      refuse: (reason) => refusedField('input', reason),
    });
  }

  /** Every call gets one result, directly after its message. */
  async #history(configId: string, tx: Transaction): Promise<NewMessage[]> {
    const messages: NewMessage[] = [];
    const names = new Map<string, string>();
    const answer = (results: readonly ToolResult[], more: object = {}) => {
      const content = results.map(({ tool_call_id, output }): StoredPart => {
        const tool_name = names.get(tool_call_id);
        if (tool_name === undefined) throw noCall(tool_call_id);
        names.delete(tool_call_id);
        return { type: 'tool-result', tool_call_id, tool_name, result: output, ...more };
      });
      if (content.length > 0) messages.push({ role: 'tool', content });
    };
    const cancel = () =>
      answer(
        [...names.keys()].map((tool_call_id) => ({ tool_call_id, output: CANCELLED })),
        { is_error: true },
      );
    for (const draft of this.#drafts) {
      if (draft.role === 'tool') {
        answer(draft.results);
        continue;
      }
      cancel();
      if (draft.role === 'user') {
        const content = await this.#content(draft.parts, tx);
        const sent = { created_by: this.#wish.userId, model_config_id: configId };
        messages.push({ role: 'user', content, ...sent });
        continue;
      }
      for (const { tool_call_id, tool_name } of draft.calls) names.set(tool_call_id, tool_name);
      const finish_reason = draft.calls.length === 0 ? 'stop' : 'tool-calls';
      const content: StoredPart[] = [
        ...draft.texts
          .filter((text) => text !== '')
          .map((text) => ({ type: 'text' as const, text })),
        ...draft.calls.map((call) => ({ type: 'tool-call' as const, ...call })),
      ];
      if (content.length > 0)
        messages.push({ role: 'assistant', content, meta: { finish_reason } });
    }
    cancel();
    return messages;
  }

  async #continue(chat: ChatRow, tx: Transaction): Promise<Begun> {
    const { effort, userId } = this.#wish;
    if (this.#drafts.some(({ role }) => role === 'assistant')) {
      throw refusedField('input', 'cannot add messages of the assistant to a conversation');
    }
    await this.#update(chat, tx);
    const wanted = await this.requestedModel(tx);
    const model = wanted?.name ?? (await modelName(tx, userId, chat.model_config_id));
    const parts = this.#drafts.flatMap((draft) => (draft.role === 'user' ? draft.parts : []));
    const steers = this.#answers.size > 0;
    if (parts.length === 0) {
      if (!steers) throw refusedField('input', 'is required');
      return await this.#answer(chat, model, tx);
    }
    const left = chat.open_calls.filter(
      (call) => isAwaited(call) && !this.#answers.has(call.tool_call_id),
    );
    if (left.length > 0) throw unansweredCalls(left.map((call) => call.tool_call_id));
    const message = {
      content: await this.#content(parts, tx),
      model_config_id: wanted?.config.id ?? null,
      reasoning_effort: effort ?? null,
      created_by: userId,
      busy_behavior: steers ? ('steer' as const) : ('queue' as const),
    };
    const written = await this.#store.client.send(chat.id, message, tx);
    // After the message, so that it joins the history together with them.
    if (steers) return await this.#answer(chat, model, tx);
    const sent = sentMessage(written);
    if ('message' in sent) {
      const { id, created_at } = sent.message;
      return begun(written.chat, { kind: 'message', id }, new Date(created_at), model);
    }
    const { id, created_at } = sent.queued;
    const queued = { chat_id: chat.id, message_id: null, queued_id: id };
    const { after } = onlyRow(await tx.query(turnStart, queued));
    const response = begun(written.chat, { kind: 'queued', id }, new Date(created_at), model);
    return { ...response, turn: { chat: written.chat, after } };
  }

  /** Fields that the request leaves out stay as they are. */
  async #update(chat: ChatRow, tx: Transaction): Promise<void> {
    const { tools, metadata } = this.#wish;
    const system_prompt = this.#instructions;
    const changes: ChatChanges = {
      ...(system_prompt !== undefined && { system_prompt }),
      ...(tools && { dynamic_tools: tools }),
      ...(metadata && { labels: metadata }),
    };
    if (Object.keys(changes).length > 0) await this.#store.client.update(chat.id, changes, tx);
  }

  get #answers(): ReadonlySet<string> {
    return new Set([
      ...this.#outputs.map(({ tool_call_id }) => tool_call_id),
      ...this.#wish.input.approvals.map(({ tool_call_id }) => tool_call_id),
    ]);
  }

  get #outputs(): ToolResult[] {
    return this.#drafts.flatMap((draft) => (draft.role === 'tool' ? draft.results : []));
  }

  /** Submits function outputs, answers and approvals. */
  async #answer(chat: ChatRow, model: string, tx: Transaction): Promise<Begun> {
    const decisions = this.#wish.input.approvals;
    const outputs = this.#outputs;
    const first = outputs[0]?.tool_call_id ?? decisions[0]?.tool_call_id ?? '';
    const at = { chat_id: chat.id, tool_call_id: first };
    const [message] = await tx.query(messageOfCall, at);
    if (message === undefined) throw noCall(first);
    const isQuestion = ({ tool_call_id }: ToolResult) =>
      chat.open_calls.some(
        (call) => call.kind === 'question' && call.tool_call_id === tool_call_id,
      );
    const results = outputs.filter((output) => !isQuestion(output));
    const answers = outputs
      .filter(isQuestion)
      .map(({ tool_call_id, output }) => ({ callId: tool_call_id, answer: answerIn(output) }));
    const given = { results, decisions, answers };
    const now = await submitAnswers(this.#store, chat, this.#wish.userId, given, { tx });
    return begun(now, { kind: 'calls', id: message.id }, now.updated_at, model);
  }
}

const begun = (chat: ChatRow, start: StartPoint, createdAt: Date, model: string): Begun => ({
  chat,
  start,
  createdAt,
  model,
  turn: { chat, after: start.kind === 'calls' ? start.id - 1 : start.id },
});

function checkTools(tools: readonly DynamicTool[]): void {
  const checked = DynamicTools.safeParse(tools);
  if (checked.success) return;
  throw refusedField('tools', checked.error.issues[0]?.message ?? 'is not valid');
}

const noCall = (id: string) =>
  refusedField('input', `has an output or approval for the unknown call ${id}`);

const unansweredCalls = (ids: readonly string[]) =>
  refusedField('input', `must answer the open calls first: ${ids.join(', ')}`);
