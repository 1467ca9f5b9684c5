import type { Client } from '@chatd/client';
import type { Chat } from '../chats/find-chat.ts';
import type { Model } from '../resources/models.ts';
import type { Effort } from '../run/request.ts';
import type { Page } from '../terminal/markdown.ts';
import type { ChatView } from './chat-view.ts';
import type { Choice } from './picker.ts';

/** What slash commands can read and do. */
export interface ChatSession {
  readonly client: Client;
  /** Undefined until the first message is sent. */
  readonly chat: Chat | undefined;
  readonly view: ChatView;
  readonly page: Page;
  readonly model: Model | undefined;
  readonly effort: Effort | undefined;
  print(lines: readonly string[]): void;
  /** Undefined if the user cancels. */
  pick<T>(title: string, choices: readonly Choice<T>[]): Promise<T | undefined>;
  open(chat: Chat): void;
  /** The next message creates a chat. */
  startNew(): void;
  choose(choice: { readonly model?: Model; readonly effort?: Effort }): void;
  /** Attaches a file to the next message. */
  attach(path: string): Promise<void>;
  detach(): void;
  send(text: string, behavior: 'queue' | 'steer' | 'interrupt'): Promise<void>;
  changed(chat: Chat): void;
  /** Of this chat, or of the next one if there is none yet. */
  setPlanning(planning: boolean): Promise<void>;
  readonly planning: boolean;
  quit(): void;
}
