import type { FileReferencePart } from '@chatd/protocol';

export interface StoredAttachment {
  readonly fileId: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
}

/** An unsent draft, as stored across reloads. */
export interface Draft {
  readonly text: string;
  readonly references: readonly FileReferencePart[];
  readonly attachments: readonly StoredAttachment[];
}

/** A request whose answer was lost. The same key makes a retry safe. */
export interface Unsent {
  readonly key: string;
  readonly request: string;
  /** The time of the first attempt, in milliseconds since the Unix epoch. */
  readonly at: number;
}

export interface StoredDraft extends Draft {
  /** The request with which the draft was sent before. */
  readonly unsent?: Unsent | undefined;
  /** Messages in flight when this was stored. */
  readonly outbox?: readonly (Unsent & { readonly draft: Draft })[] | undefined;
  readonly at: number;
}

/** Beyond this number, the oldest drafts are dropped. */
const MOST_DRAFTS = 100;
/** Browsers allow about 5 MB per site. One long draft must not displace all others. */
const LONGEST_DRAFT = 400_000;

type Space = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** Drafts in the browser's storage, which is shared by all tabs and may be full or disabled. */
export class DraftStorage {
  readonly #space: Space | undefined;
  readonly #prefix: string;

  /** `owner` keeps users of the same browser apart. */
  constructor(owner: string, space: Space | undefined) {
    this.#space = space;
    this.#prefix = `chatd.draft.${owner}.`;
  }

  keyOf(chatId: string): string {
    return this.#prefix + chatId;
  }

  read(chatId: string): StoredDraft | undefined {
    return parsed(this.#space?.getItem(this.keyOf(chatId)) ?? null);
  }

  chatsWithOutbox(): string[] {
    return this.#oldestFirst('')
      .map((key) => key.slice(this.#prefix.length))
      .filter((chatId) => (this.read(chatId)?.outbox ?? []).length > 0);
  }

  /** False: not stored; a reload would lose it. */
  write(chatId: string, draft: StoredDraft | undefined): boolean {
    if (this.#space === undefined) return draft === undefined;
    const key = this.keyOf(chatId);
    if (draft === undefined) {
      this.#space.removeItem(key);
      return true;
    }
    const value = JSON.stringify(draft);
    if (value.length > LONGEST_DRAFT) return false;
    const others = this.#oldestFirst(key);
    for (const old of others.splice(0, others.length + 1 - MOST_DRAFTS)) this.#remove(old);
    for (;;) {
      try {
        this.#space.setItem(key, value);
        return true;
      } catch {
        const oldest = others.shift();
        if (oldest === undefined) return false;
        this.#remove(oldest);
      }
    }
  }

  #remove(key: string): void {
    this.#space?.removeItem(key);
  }

  #oldestFirst(except: string): string[] {
    const space = this.#space;
    if (space === undefined) return [];
    const keys = Array.from({ length: space.length }, (_, index) => space.key(index) ?? '');
    return keys
      .filter((key) => key.startsWith(this.#prefix) && key !== except)
      .map((key) => ({ key, at: parsed(space.getItem(key))?.at ?? 0 }))
      .sort((one, other) => one.at - other.at)
      .map(({ key }) => key);
  }
}

/** Ignores what another version of the page has stored. */
export function parsed(value: string | null): StoredDraft | undefined {
  if (value === null) return undefined;
  try {
    const draft = JSON.parse(value) as Partial<StoredDraft> | null;
    if (typeof draft?.text !== 'string') return undefined;
    const at = typeof draft.at === 'number' ? draft.at : 0;
    // Earlier versions of the page store no time of the attempt.
    const timed = <T extends Unsent>(unsent: T): T => ({ ...unsent, at: unsent.at ?? at });
    return {
      text: draft.text,
      references: Array.isArray(draft.references) ? draft.references : [],
      attachments: Array.isArray(draft.attachments) ? draft.attachments : [],
      unsent: draft.unsent && timed(draft.unsent),
      outbox: Array.isArray(draft.outbox) ? draft.outbox.map(timed) : [],
      at,
    };
  } catch {
    return undefined;
  }
}

/** Undefined where the browser forbids it. */
export function browserStorage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
