import {
  type ContentBlock,
  RequestError,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import {
  type Client,
  ChatdUnreachable,
  dynamicTools,
  runTools,
  type StreamedEvent,
  type ToolRun,
} from '@chatd/client';
import type { AwaitedCall, Chat, ChatError, Message } from '@chatd/protocol';
import type { Model } from '../resources/models.ts';
import { askAbout, type Editor } from './awaited-calls.ts';
import type { EditorMcpServers } from './editor-mcp-servers.ts';
import { editorTools } from './editor-tools.ts';
import { hasCode, requestError } from './errors.ts';
import { messageContent, promptText } from './prompt-content.ts';
import { type ChatSettings, configOptionsOf, modesOf } from './session-settings.ts';
import { AVAILABLE_COMMANDS, commandIn } from './slash-commands.ts';
import { Transcript } from './transcript.ts';

/** Labels of a chat that an editor created, to find it again. */
export const SESSION_LABEL = 'acp-session';
export const FOLDER_LABEL = 'acp-folder';
const LABEL_LENGTH = 256;

export interface SessionOptions {
  readonly id: string;
  readonly client: Client;
  readonly editor: Editor;
  readonly models: readonly Model[];
  readonly roots: readonly [string, ...string[]];
  readonly mcpServers: EditorMcpServers;
  readonly log: (line: string) => void;
}

/** A prompt whose turn runs. */
class Prompt {
  readonly done = Promise.withResolvers<StopReason>();

  constructor() {
    // The turn may fail while its message is still being sent.
    this.done.promise.catch(() => undefined);
  }

  /** IDs of its message, in the history or in the queue. */
  messageId: number | undefined;
  queuedId: number | undefined;
  /** The stream has reached the beginning of its turn. */
  started = false;
  canceled = false;
  cutOff: Message['cut_off'];

  owns({ id, queued_message_id }: Message): boolean {
    return id === this.messageId || (queued_message_id ?? NaN) === this.queuedId;
  }

  end(): void {
    const cut = this.cutOff === 'length' ? 'max_tokens' : 'end_turn';
    this.done.resolve(this.canceled ? 'cancelled' : cut);
  }
}

/** A session of an editor: one chat, which the first prompt creates. */
export class Session {
  readonly id: string;
  readonly #options: SessionOptions;
  readonly #transcript: Transcript;
  readonly #closing = new AbortController();
  readonly #asked = new Map<string, AbortController>();
  readonly #tools: ReturnType<typeof editorTools>;
  #toolRun: ToolRun | undefined;
  #chat: Chat | undefined;
  /** Settings of the chat that the first prompt creates. */
  #draft: ChatSettings = {};
  #prompt: Prompt | undefined;
  /** Settles when the message of the prompt is stored. */
  #sending: Promise<unknown> = Promise.resolve();
  #sent: Promise<void> = Promise.resolve();
  #isFollowing = false;
  #cursor: string | undefined;
  /** The next prompt answers this question. */
  #question: AwaitedCall | undefined;

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.#options = options;
    this.#transcript = new Transcript(options.client.url);
    this.#tools = editorTools({
      ...options,
      sessionId: options.id,
      mcpTools: options.mcpServers.tools,
      show: async ({ name, args, ...update }) => {
        const call = { tool_call_id: update.toolCallId, tool_name: name, args };
        await this.#send(...this.#transcript.announce(call), {
          sessionUpdate: 'tool_call_update',
          ...update,
        });
      },
    });
  }

  get chatId(): string | undefined {
    return this.#chat?.id;
  }

  get state() {
    const settings = this.#chat ?? this.#draft;
    const configOptions = configOptionsOf(settings, this.#options.models);
    return { modes: modesOf(settings), configOptions };
  }

  async sendCommands(): Promise<void> {
    const availableCommands = AVAILABLE_COMMANDS;
    await this.#send({ sessionUpdate: 'available_commands_update', availableCommands });
  }

  async change(change: ChatSettings): Promise<void> {
    if (this.#chat === undefined) this.#draft = { ...this.#draft, ...change };
    else this.#chat = await this.#options.client.chats.update(this.#chat.id, change);
  }

  /** A change of the chat, by anyone. */
  async changed(chat: Chat): Promise<void> {
    const before = this.#chat;
    if (before === undefined || chat.snapshot_version < before.snapshot_version) return;
    this.#chat = chat;
    const { title, active_at: updatedAt } = chat;
    if (title !== before.title) {
      await this.#send({ sessionUpdate: 'session_info_update', title, updatedAt });
    }
    if (chat.plan_mode !== before.plan_mode) {
      const { currentModeId } = this.state.modes;
      await this.#send({ sessionUpdate: 'current_mode_update', currentModeId });
    }
    const { configOptions } = this.state;
    const old = configOptionsOf(before, this.#options.models);
    if (JSON.stringify(old) !== JSON.stringify(configOptions)) {
      await this.#send({ sessionUpdate: 'config_option_update', configOptions });
    }
  }

  /** Follows an existing chat. Resolves when the editor has its messages, or immediately without `replay`. */
  async open(chat: Chat, { replay }: { readonly replay: boolean }): Promise<void> {
    this.#chat = chat;
    this.#serveTools(chat.id);
    await this.#follow(replay ? undefined : 0);
  }

  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    if (this.#prompt !== undefined) {
      throw RequestError.invalidRequest(undefined, 'The session is still processing a prompt.');
    }
    const prompt = new Prompt();
    this.#prompt = prompt;
    const cancel = () =>
      void this.cancel().catch((error: unknown) => this.#options.log(String(error)));
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const sending = this.#begin(prompt, blocks);
      this.#sending = sending.catch(() => undefined);
      await sending;
      return await prompt.done.promise;
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#prompt = undefined;
    }
  }

  /** Interrupts the turn. Its prompt ends when the chat is idle. */
  async cancel(): Promise<void> {
    const prompt = this.#prompt;
    if (prompt !== undefined) prompt.canceled = true;
    for (const asking of this.#asked.values()) asking.abort();
    await this.#sending;
    if (this.#chat === undefined) return;
    const { client } = this.#options;
    if (prompt?.queuedId !== undefined && !prompt.started) {
      await client.queue.delete(this.#chat.id, prompt.queuedId).catch(() => undefined);
    }
    await this.#interrupt();
  }

  /** Cancels the turn, and takes the tools of the editor away from the chat. */
  async close(options: { readonly cancel: boolean }): Promise<void> {
    if (options.cancel) await this.cancel();
    this.#closing.abort();
    await this.#toolRun?.stop();
    await this.#options.mcpServers.close();
    if (this.#chat === undefined || this.#toolRun === undefined) return;
    const { client } = this.#options;
    const { dynamic_tools: declared } = await client.chats.get(this.#chat.id);
    const dynamic_tools = declared.filter(({ name }) => !Object.hasOwn(this.#tools, name));
    await client.chats.update(this.#chat.id, { dynamic_tools });
  }

  async #begin(prompt: Prompt, blocks: readonly ContentBlock[]): Promise<void> {
    const { client } = this.#options;
    const text = promptText(blocks);
    if (this.#chat === undefined) return await this.#create(prompt, blocks);
    const { id } = this.#chat;
    if (!this.#isFollowing) await this.#follow();
    const found = commandIn(text);
    if (found !== undefined) {
      const result = await found.command.run(client, id, found.argument);
      prompt.started = typeof result !== 'string';
      if (typeof result !== 'string') return;
      await this.#say(result);
      return prompt.end();
    }
    const question = this.#question;
    if (question !== undefined) {
      prompt.started = true;
      const { tool_call_id } = question;
      return await client.chats.answerQuestion(id, { tool_call_id, answer: text });
    }
    const content = await messageContent(client, blocks);
    const sent = await client.chats.send(id, { content, busy_behavior: 'steer' });
    if (sent.queued) prompt.queuedId = sent.queued_message.id;
    else prompt.messageId = sent.message.id;
  }

  async #create(prompt: Prompt, blocks: readonly ContentBlock[]): Promise<void> {
    const { client, id, roots } = this.#options;
    const { reasoning_effort: effort, ...draft } = this.#draft;
    const [folder] = roots;
    this.#chat = await client.chats.create({
      content: await messageContent(client, blocks),
      ...draft,
      ...(effort && { reasoning_effort: effort }),
      labels: {
        [SESSION_LABEL]: id,
        ...(folder.length <= LABEL_LENGTH && { [FOLDER_LABEL]: folder }),
      },
      dynamic_tools: dynamicTools(this.#tools),
    });
    const { messages } = await client.chats.messages(this.#chat.id, { after_id: 0, limit: 1 });
    prompt.messageId = messages[0]?.id;
    this.#serveTools(this.#chat.id);
    void this.#follow().catch(() => undefined);
  }

  #serveTools(chatId: string): void {
    if (Object.keys(this.#tools).length === 0) return;
    const { client, log } = this.#options;
    const options = { keepOthers: true, signal: this.#closing.signal };
    this.#toolRun = runTools(client, chatId, this.#tools, options);
    this.#toolRun.done.catch((error: unknown) => log(requestError(error).message));
  }

  /** Resolves when the state of the chat is known. */
  async #follow(tail?: number): Promise<void> {
    const ready = Promise.withResolvers<void>();
    this.#isFollowing = true;
    const follow = async () => {
      const { client, log } = this.#options;
      const events = client.chats.stream(this.#chat?.id ?? '', {
        tail,
        after: this.#cursor,
        signal: this.#closing.signal,
        onConnection: (state) => {
          if (state.state === 'waiting') log(`${state.reason.message} Reconnecting.`);
          // A stream that continues does not repeat the status.
          if (state.state === 'live' && this.#cursor !== undefined) ready.resolve();
        },
      });
      for await (const event of events) {
        await this.#handle(event);
        this.#cursor = event.cursor;
        if (event.type !== 'status') continue;
        ready.resolve();
        // The response to session/load comes before requests to the editor.
        await new Promise((resume) => setImmediate(resume));
      }
    };
    follow().catch((error: unknown) => {
      this.#isFollowing = false;
      ready.reject(error);
      this.#prompt?.done.reject(error);
    });
    await ready.promise;
  }

  async #handle(event: StreamedEvent): Promise<void> {
    // The IDs of an own message are known when it is stored.
    if (event.type === 'message' && event.message.role === 'user') await this.#sending;
    const prompt = this.#prompt;
    const isOwn = event.type === 'message' && prompt?.owns(event.message) === true;
    if (isOwn && prompt !== undefined) prompt.started = true;
    await this.#send(...this.#transcript.updates(event, isOwn));
    if (event.type === 'message' && prompt !== undefined) prompt.cutOff = event.message.cut_off;
    if (event.type === 'action_required') this.#ask(event.tool_calls);
    if (event.type === 'retry' && this.#options.editor.capabilities.session?.notices) {
      const { error: title } = event;
      await this.#send({ sessionUpdate: 'notice', severity: 'warning', title });
    }
    if (event.type === 'error') this.#fail(event.error);
    if (event.type !== 'status') return;
    if (event.status !== 'requires_action') this.#ask([]);
    // Interrupting a turn that waits for a call ends only the waiting.
    if (event.status === 'running' && prompt?.canceled === true) await this.#interrupt();
    if (event.status === 'waiting' || event.status === 'error') await this.#atRest(event.status);
  }

  async #atRest(status: 'waiting' | 'error'): Promise<void> {
    const prompt = this.#prompt;
    if (prompt === undefined) return;
    // The error event follows.
    if (prompt.started) return status === 'waiting' || prompt.canceled ? prompt.end() : undefined;
    if (prompt.messageId === undefined && prompt.queuedId === undefined) return;
    await this.#endIfGone(prompt);
  }

  /** Ends a prompt whose message was deleted before its turn started. */
  async #endIfGone(prompt: Prompt): Promise<void> {
    const { client } = this.#options;
    const { messages, queued_messages: queue } = await client.chats.messages(this.#chat?.id ?? '', {
      limit: 200,
    });
    const isThere =
      messages.some((message) => prompt.owns(message)) ||
      queue.some(({ id }) => id === prompt.queuedId);
    if (!isThere) prompt.end();
  }

  #fail({ message, detail }: ChatError): void {
    if (this.#prompt?.started !== true) return;
    const text = detail === undefined ? message : `${message} ${detail}`;
    this.#prompt.done.reject(new RequestError(-32_603, text));
  }

  async #interrupt(): Promise<void> {
    const prompt = this.#prompt;
    try {
      await this.#options.client.chats.interrupt(this.#chat?.id ?? '');
    } catch (error) {
      if (hasCode(error, 'not_running')) {
        if (prompt?.started === false) await this.#endIfGone(prompt);
        return;
      }
      this.#options.log(`Cannot interrupt the turn. ${requestError(error).message}`);
      // The editor must not wait for a server that is gone.
      if (error instanceof ChatdUnreachable) prompt?.end();
    }
  }

  /** Asks about new calls, and withdraws questions that were answered elsewhere. */
  #ask(calls: readonly AwaitedCall[]): void {
    const pending = calls.filter(({ kind }) => kind !== 'dynamic');
    for (const [id, asking] of this.#asked) {
      if (pending.some(({ tool_call_id }) => tool_call_id === id)) continue;
      asking.abort();
      this.#asked.delete(id);
    }
    if (!pending.some(({ tool_call_id }) => tool_call_id === this.#question?.tool_call_id)) {
      this.#question = undefined;
    }
    for (const call of pending) {
      if (this.#asked.has(call.tool_call_id)) continue;
      const asking = new AbortController();
      this.#asked.set(call.tool_call_id, asking);
      void this.#askAbout(call, asking.signal);
    }
  }

  async #askAbout(call: AwaitedCall, signal: AbortSignal): Promise<void> {
    const options = { ...this.#options, sessionId: this.id, chatId: this.chatId ?? '', signal };
    try {
      const outcome = await askAbout(call, options);
      if (outcome === 'canceled') await this.cancel();
      if (outcome !== 'unsupported') return;
      this.#question = call;
      await this.#say('Write your answer as the next message.');
    } catch (error) {
      if (signal.aborted) return;
      this.#options.log(`${call.tool_name}: ${requestError(error).message}`);
      await this.#say('This call waits for you. Answer it in the web UI or with chatd chat.');
    }
    // The editor cannot answer while the prompt runs.
    this.#prompt?.end();
  }

  async #say(text: string): Promise<void> {
    const content = { type: 'text' as const, text };
    await this.#send({ sessionUpdate: 'agent_message_chunk', content });
  }

  /** In order. The editor may be gone. */
  #send(...updates: readonly SessionUpdate[]): Promise<void> {
    const { peer } = this.#options.editor;
    for (const update of updates) {
      this.#sent = this.#sent
        .then(() => peer.notify('session/update', { sessionId: this.id, update }))
        .catch(() => undefined);
    }
    return this.#sent;
  }
}
