import type { Client } from '@chatd/client';
import type { Chat } from '../chats/find-chat.ts';
import type { Model } from '../resources/models.ts';
import type { Effort } from '../run/request.ts';
import type { Page } from '../terminal/markdown.ts';
import type { ChatView } from './chat-view.ts';
import type { Choice } from './picker.ts';

/** What slash commands can do, in the terminal client and in plain lines. */
export interface Desk {
  readonly client: Client;
  /** Undefined until the first message was sent. */
  readonly chat: Chat | undefined;
  readonly view: ChatView;
  readonly page: Page;
  readonly model: Model | undefined;
  readonly effort: Effort | undefined;
  print(lines: readonly string[]): void;
  /** Undefined: never mind. */
  pick<T>(title: string, choices: readonly Choice<T>[]): Promise<T | undefined>;
  open(chat: Chat): void;
  /** The next message begins a chat. */
  startNew(): void;
  choose(choice: { readonly model?: Model; readonly effort?: Effort }): void;
  /** For the next message. */
  attach(path: string): Promise<void>;
  detach(): void;
  send(text: string, behavior: 'queue' | 'steer' | 'interrupt'): Promise<void>;
  changed(chat: Chat): void;
  /** Whether the next chat only plans, or this one. */
  setPlanning(planning: boolean): Promise<void>;
  readonly planning: boolean;
  quit(): void;
}
