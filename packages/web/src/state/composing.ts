import type { FileReferencePart, Message } from '@chatd/protocol';
import { Cell } from './cell.ts';

/** What somebody is about to send. Panels and the timeline put things into it; the composer shows and sends it. */
export class Composing {
  readonly text = new Cell('');
  /** Comments on lines of files. */
  readonly references = new Cell<readonly FileReferencePart[]>([]);
  /** The message that is being edited: sending replaces it and everything after it. */
  readonly editing = new Cell<Message | null>(null);
  /** Counts up when the composer should take the focus. */
  readonly focusAsked = new Cell(0);

  readonly focus = (): void => this.focusAsked.update((count) => count + 1);

  /** Puts text behind what is there, on a line of its own, and goes there. */
  readonly insert = (text: string): void => {
    this.text.update((before) => (before.trim() === '' ? text : `${before.trimEnd()}\n\n${text}`));
    this.focus();
  };

  readonly refer = (reference: FileReferencePart): void => {
    this.references.update((all) => [...all, reference]);
    this.focus();
  };
}

const byChat = new Map<string, Composing>();

/** `new` is the chat that does not exist yet. */
export function composingOf(chatId: string): Composing {
  const known = byChat.get(chatId);
  if (known !== undefined) return known;
  const made = new Composing();
  byChat.set(chatId, made);
  return made;
}
