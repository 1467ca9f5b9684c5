import type { FileReferencePart, Message, ReasoningEffort } from '@chatd/protocol';
import { session } from '../api/session.ts';
import { Cell } from './cell.ts';
import { draftOf } from './draft-of.ts';
import {
  browserStorage,
  type Draft,
  DraftStorage,
  parsed,
  type StoredAttachment,
  type StoredDraft,
  type Unsent,
} from './draft-storage.ts';

export type { Draft, Unsent } from './draft-storage.ts';

/** An attached file that has been uploaded. */
export interface Attachment {
  readonly key: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  readonly state:
    | { readonly kind: 'uploading'; readonly progress: number }
    | { readonly kind: 'ready'; readonly fileId: string }
    | { readonly kind: 'failed'; readonly reason: string; readonly again: boolean };
  /** The text of a long paste, while it can be converted back to text. */
  readonly pasted?: string;
}

/** What the user can do about a message that was not sent. */
export interface NotSent {
  readonly text: string;
  /** A retry may succeed and never sends twice. */
  readonly again: boolean;
  /** Sent automatically once the server answers again. */
  readonly offline?: boolean;
  /** Possible once the chat is unarchived. */
  readonly unarchive?: boolean;
}

/** A message that was sent and is not confirmed. */
export interface Outgoing extends Unsent {
  /** The original input, to be restored. */
  readonly draft: Draft;
  readonly problem: NotSent | null;
}

export interface ModelChoice {
  readonly modelConfigId?: string | undefined;
  readonly effort?: ReasoningEffort | undefined;
}

const SAVE_AFTER_MS = 250;

/** Shorter than the server remembers the key of a request, which ensures that it is delivered only once. */
const RESENT_MS = 20 * 60 * 60 * 1000;

/** For messages that could arrive twice if they were sent again. */
export const EXPIRED: NotSent = {
  text: 'Sending did not end within 20 hours. Check whether the message has arrived.',
  again: true,
};
const RESENT: NotSent = { text: 'Sent again as soon as possible.', again: true, offline: true };

/** The server still remembers the key of the request. */
export const isFresh = ({ at }: Unsent): boolean => at > Date.now() - RESENT_MS;

/** The content of one composer. Panels and the timeline add to it; the composer shows and sends it. */
export class ComposerState {
  readonly text: Cell<string>;
  /** Comments on lines of files. */
  readonly references: Cell<readonly FileReferencePart[]>;
  readonly attachments: Cell<readonly Attachment[]>;
  /** The message being edited. Sending replaces it and removes everything after it. */
  readonly editing = new Cell<Message | null>(null);
  /** Saving the edited message first restores the files to before it. */
  readonly restoring = new Cell(false);
  /** Incremented to move the focus to the composer. */
  readonly focusAsked = new Cell(0);
  /** Sent and not confirmed, in the order of sending. */
  readonly outbox: Cell<readonly Outgoing[]>;
  /** Why the draft was not sent. */
  readonly notice = new Cell<NotSent | null>(null);
  /** The operation in progress. The draft cannot change meanwhile. */
  readonly pending = new Cell<string | null>(null);
  /** A model other than the chat's, from the next message on. */
  readonly choice = new Cell<ModelChoice>({});
  /** False: a reload would lose the draft. */
  readonly kept = new Cell(true);
  /** The request whose answer was lost, so that sending it again does not send twice. */
  unsent: Unsent | undefined;

  readonly #chatId: string;
  readonly #storage: DraftStorage;
  /** Messages that this tab has sent or read. All others in the storage belong to other tabs. */
  readonly #known = new Set<string>();
  /** Messages in the storage. */
  #stored: ReadonlySet<string> = new Set();
  /** The draft set aside while a message is edited. */
  #aside: Draft | undefined;
  #saving: ReturnType<typeof setTimeout> | undefined;

  constructor(chatId: string, storage: DraftStorage) {
    this.#chatId = chatId;
    this.#storage = storage;
    const stored = storage.read(chatId);
    this.text = new Cell(stored?.text ?? '');
    this.references = new Cell(stored?.references ?? []);
    this.attachments = new Cell((stored?.attachments ?? []).map(readyAttachment));
    this.unsent = stored?.unsent;
    this.outbox = new Cell(
      (stored?.outbox ?? []).map((outgoing): Outgoing => ({
        ...outgoing,
        problem: isFresh(outgoing) ? RESENT : EXPIRED,
      })),
    );
    this.#stored = keysOf(this.outbox.get());
    this.#know();
    this.outbox.subscribe(() => this.#know());
    this.editing.subscribe(() => {
      this.restoring.set(false);
      this.#swap();
    });
    for (const cell of [this.text, this.references, this.attachments, this.outbox]) {
      cell.subscribe(() => this.#saveSoon());
    }
  }

  readonly focus = (): void => this.focusAsked.update((count) => count + 1);

  /** Appends text on a new line and moves the focus there. */
  readonly insert = (text: string): void => {
    this.text.update((before) => (before.trim() === '' ? text : `${before.trimEnd()}\n\n${text}`));
    this.focus();
  };

  readonly refer = (reference: FileReferencePart): void => {
    this.references.update((all) => [...all, reference]);
    this.focus();
  };

  draft(): Draft {
    const attachments = this.attachments.get().flatMap(storedAttachment);
    return { text: this.text.get(), references: this.references.get(), attachments };
  }

  isEmpty(): boolean {
    return (
      this.text.get().trim() === '' &&
      this.references.get().length === 0 &&
      this.attachments.get().length === 0
    );
  }

  put({ text, references, attachments }: Draft): void {
    this.text.set(text);
    this.references.set(references);
    this.attachments.set(attachments.map(readyAttachment));
  }

  clear(): void {
    this.put({ text: '', references: [], attachments: [] });
    this.save();
  }

  /** Written immediately: the page may be closing. */
  readonly save = (): void => {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    const draft = this.#aside ?? this.draft();
    const outbox = [
      ...this.#ofOtherTabs(),
      ...this.outbox.get().map(({ key, request, at, draft }) => ({ key, request, at, draft })),
    ];
    const nothing =
      draft.text === '' &&
      [draft.references, draft.attachments, outbox].every(({ length }) => length === 0);
    const stored = nothing ? undefined : { ...draft, unsent: this.unsent, outbox, at: Date.now() };
    const kept = this.#storage.write(this.#chatId, stored);
    if (kept) this.#stored = keysOf(outbox);
    this.kept.set(kept);
  };

  /** Text typed since the last write. */
  readonly flush = (): void => {
    if (this.#saving !== undefined) this.save();
  };

  /** Another tab has changed this draft: both tabs show the same. */
  readonly adopt = (event: Pick<StorageEvent, 'key' | 'newValue'>): void => {
    if (event.key !== this.#storage.keyOf(this.#chatId) || this.#aside !== undefined) return;
    const draft = parsed(event.newValue);
    this.unsent = draft?.unsent;
    this.text.set(draft?.text ?? '');
    this.references.set(draft?.references ?? []);
    // A failed message may have been sent or discarded in the other tab. The event may be older than the storage.
    const there = keysOf(this.#storage.read(this.#chatId)?.outbox ?? []);
    this.outbox.update((all) =>
      all.filter(
        ({ key, problem }) => problem === null || there.has(key) || !this.#stored.has(key),
      ),
    );
    this.#stored = there;
    const known = new Map(
      this.attachments.get().flatMap((attachment) => {
        const { state } = attachment;
        return state.kind === 'ready' ? [[state.fileId, attachment] as const] : [];
      }),
    );
    const uploading = this.attachments.get().filter(({ state }) => state.kind !== 'ready');
    this.attachments.set([
      ...(draft?.attachments ?? []).map((file) => known.get(file.fileId) ?? readyAttachment(file)),
      ...uploading,
    ]);
    // Already stored.
    clearTimeout(this.#saving);
    this.#saving = undefined;
  };

  #know(): void {
    for (const { key } of this.outbox.get()) this.#known.add(key);
  }

  /** Kept for them: a tab does not show the messages that others are sending. */
  #ofOtherTabs(): NonNullable<StoredDraft['outbox']> {
    const stored = this.#storage.read(this.#chatId)?.outbox ?? [];
    return stored.filter(({ key }) => !this.#known.has(key));
  }

  #saveSoon(): void {
    if (this.#aside !== undefined) return;
    this.#saving ??= setTimeout(this.save, SAVE_AFTER_MS);
  }

  /** Sets the draft aside while a message is edited. */
  #swap(): void {
    const message = this.editing.get();
    if (message === null) {
      const draft = this.#aside;
      this.#aside = undefined;
      if (draft !== undefined) this.put(draft);
      return;
    }
    this.save();
    this.#aside ??= this.draft();
    this.put(draftOf(message));
    this.focus();
  }
}

const keysOf = (outbox: readonly Unsent[]): ReadonlySet<string> =>
  new Set(outbox.map(({ key }) => key));

const readyAttachment = ({ fileId, ...file }: StoredAttachment): Attachment => ({
  key: fileId,
  ...file,
  state: { kind: 'ready', fileId },
});

const storedAttachment = ({ name, mediaType, size, state }: Attachment): StoredAttachment[] =>
  state.kind === 'ready' ? [{ fileId: state.fileId, name, mediaType, size }] : [];

const byChat = new Map<string, ComposerState>();

const ownerId = (): string => {
  const state = session.state.get();
  return state.kind === 'signed-in' ? state.user.id : 'nobody';
};

/** Chats with messages that were not sent before the page was closed. */
export const chatsWithUnsent = (): readonly string[] =>
  new DraftStorage(ownerId(), browserStorage()).chatsWithOutbox();

/** `new` stands for a chat that does not exist yet. */
export function composerStateOf(chatId: string): ComposerState {
  const owner = ownerId();
  const key = `${owner} ${chatId}`;
  const known = byChat.get(key);
  if (known !== undefined) return known;
  const made = new ComposerState(chatId, new DraftStorage(owner, browserStorage()));
  byChat.set(key, made);
  return made;
}

window.addEventListener('storage', (event) => {
  for (const composing of byChat.values()) composing.adopt(event);
});
window.addEventListener('pagehide', () => {
  for (const composing of byChat.values()) composing.flush();
});
