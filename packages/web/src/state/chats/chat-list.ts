import type { Chat, WatchEvent } from '@chatd/protocol';
import { apiPath, client } from '../../api/client.ts';
import { Cell } from '../cell.ts';
import { LiveSocket } from '../live-socket.ts';
import { whyRefused } from '../why-refused.ts';

export type ChatsById = ReadonlyMap<string, Chat>;

/** Every chat that this page has heard of, kept current by `/watch`: subagents and archived ones too. */
export class ChatList {
  readonly chats = new Cell<ChatsById>(new Map());
  /** False until the first list is there. */
  readonly loaded = new Cell(false);
  readonly socket: LiveSocket;

  constructor() {
    this.socket = new LiveSocket({
      path: () => apiPath('/watch'),
      onEvent: (event) => this.#hear(event as WatchEvent),
      whyRefused,
    });
  }

  /** What a call has answered may be newer than what was heard. */
  readonly put = (...chats: readonly Chat[]): void => {
    this.chats.update((known) => {
      const next = new Map(known);
      for (const chat of chats) {
        const version = next.get(chat.id)?.snapshot_version ?? -1;
        if (chat.snapshot_version >= version) next.set(chat.id, chat);
      }
      return next;
    });
  };

  readonly remove = (chatId: string): void => {
    this.chats.update((known) => {
      const next = new Map(known);
      next.delete(chatId);
      return next;
    });
  };

  /** One that the list did not name, because it is old, archived or a subagent's. */
  async load(chatId: string): Promise<Chat> {
    const chat = await client.call('getChat', { params: { chat_id: chatId } });
    this.put(chat);
    return chat;
  }

  close(): void {
    this.socket.close();
  }

  #hear(event: WatchEvent): void {
    switch (event.kind) {
      case 'snapshot':
        this.put(...event.chats);
        this.loaded.set(true);
        break;
      case 'deleted':
        this.remove(event.chat.id);
        break;
      case 'ping':
        break;
      case 'created':
      case 'status_change':
      case 'title_change':
      case 'changed':
      case 'action_required':
        this.put(event.chat);
    }
  }
}
