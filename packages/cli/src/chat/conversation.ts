import type { Client, ConnectionState, StreamedEvent } from '@chatd/client';
import { attacher, type Attachment, readAttachment } from '../attachments/attach.ts';
import type { Chat } from '../chats/find-chat.ts';
import type { Model } from '../resources/models.ts';
import type { Effort } from '../run/request.ts';
import type { Reply } from './answering.ts';
import { HISTORY_READ } from './chat-view.ts';

export interface ConversationEvents {
  /** Another chat was opened; undefined for a new one. */
  onChat(chat: Chat | undefined, isNew: boolean): void;
  onEvent(event: StreamedEvent): void;
  onConnection(state: ConnectionState): void;
  onError(error: unknown): void;
}

/** Defaults for new chats and the first message. */
export interface ConversationDefaults {
  readonly model?: Model;
  readonly effort?: Effort;
  readonly system?: string;
  readonly workspaceId?: string;
  readonly projectId?: string;
}

/** Sends messages to a chat and follows its events. Independent of the terminal. */
export class Conversation {
  readonly client: Client;
  readonly #events: ConversationEvents;
  readonly #defaults: ConversationDefaults;
  #chat: Chat | undefined;
  #following: AbortController | undefined;
  #model: Model | undefined;
  #effort: Effort | undefined;
  /** Model or effort changed since the last message; sent with the next one. */
  #chosen = false;
  #planning = false;
  #attachments: Attachment[] = [];

  constructor(client: Client, events: ConversationEvents, defaults: ConversationDefaults = {}) {
    this.client = client;
    this.#events = events;
    this.#defaults = defaults;
    this.#model = defaults.model;
    this.#effort = defaults.effort;
    this.#chosen = defaults.model !== undefined || defaults.effort !== undefined;
  }

  get chat(): Chat | undefined {
    return this.#chat;
  }

  get model(): Model | undefined {
    return this.#model;
  }

  get effort(): Effort | undefined {
    return this.#effort;
  }

  get planning(): boolean {
    return this.#planning;
  }

  get attachments(): readonly Attachment[] {
    return this.#attachments;
  }

  choose({ model, effort }: { readonly model?: Model; readonly effort?: Effort }): void {
    this.#model = model ?? this.#model;
    this.#effort = effort ?? this.#effort;
    this.#chosen = true;
  }

  changed(chat: Chat): void {
    this.#chat = chat;
    this.#planning = chat.plan_mode;
  }

  /** Switches to a chat. */
  open(chat: Chat, isNew = false): void {
    this.leave();
    this.changed(chat);
    this.#effort = this.#chosen ? this.#effort : (chat.reasoning_effort ?? undefined);
    this.#events.onChat(chat, isNew);
    const following = new AbortController();
    this.#following = following;
    void this.#follow(chat.id, following.signal);
  }

  startNew(): void {
    this.leave();
    this.#chat = undefined;
    this.#planning = false;
    this.#events.onChat(undefined, false);
  }

  leave(): void {
    this.#following?.abort();
    this.#following = undefined;
  }

  async attach(path: string): Promise<Attachment> {
    const attachment = await readAttachment(path);
    this.#attachments.push(attachment);
    return attachment;
  }

  detach(): void {
    this.#attachments = [];
  }

  async setPlanning(planning: boolean): Promise<void> {
    if (this.#chat !== undefined) {
      const params = { chat_id: this.#chat.id };
      this.changed(await this.client.call('updateChat', { params, body: { plan_mode: planning } }));
    }
    this.#planning = planning;
  }

  /** Sends a message to the chat, or creates a chat with it. */
  async send(text: string, behavior: 'queue' | 'steer' | 'interrupt'): Promise<void> {
    const attached = await attacher(this.client)(this.#attachments);
    const content = [...attached, ...(text === '' ? [] : [{ type: 'text' as const, text }])];
    const choice = this.#chosen
      ? {
          ...(this.#model && { model_config_id: this.#model.id }),
          ...(this.#effort !== undefined && { reasoning_effort: this.#effort }),
        }
      : {};
    if (this.#chat === undefined) {
      const { system, workspaceId, projectId } = this.#defaults;
      const chat = await this.client.call('createChat', {
        body: {
          content,
          ...choice,
          ...(this.#planning && { plan_mode: true }),
          ...(system !== undefined && { system_prompt: system }),
          ...(projectId !== undefined && { project_id: projectId }),
          ...(workspaceId !== undefined && { workspace_id: workspaceId }),
        },
      });
      this.#attachments = [];
      this.open(chat, true);
    } else {
      await this.client.call('sendMessage', {
        params: { chat_id: this.#chat.id },
        body: { content, busy_behavior: behavior, ...choice },
      });
      this.#attachments = [];
    }
    this.#chosen = false;
  }

  async interrupt(): Promise<void> {
    if (this.#chat === undefined) return;
    await this.client.call('interruptChat', { params: { chat_id: this.#chat.id } });
  }

  async reply(reply: Reply): Promise<void> {
    if (this.#chat === undefined) return;
    const params = { chat_id: this.#chat.id };
    if (reply.kind === 'approval') {
      await this.client.call('decideApprovals', { params, body: reply.body });
    } else {
      await this.client.call('answerQuestion', { params, body: reply.body });
    }
  }

  async #follow(chatId: string, signal: AbortSignal): Promise<void> {
    try {
      const onConnection = (state: ConnectionState) => this.#events.onConnection(state);
      const options = { signal, onConnection, tail: HISTORY_READ };
      for await (const event of this.client.chats.stream(chatId, options)) {
        if (signal.aborted) return;
        this.#events.onEvent(event);
      }
    } catch (error) {
      if (!signal.aborted) this.#events.onError(error);
    }
  }
}
