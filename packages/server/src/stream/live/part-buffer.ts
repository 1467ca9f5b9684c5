import { mergeParts } from '@chatd/loop';
import type { Part, Role } from '@chatd/protocol';
import { deltaOf, placeholderFor, withDelta } from './delta.ts';

/** Identifies the parts of one owner. Two owners can have the same episode: a tool phase that was taken over. */
export interface LiveTag {
  readonly history_version: number;
  readonly attempt: number;
  readonly tag: string;
}

/** One part, or several merged deltas. */
export interface LiveEntry {
  readonly from: number;
  readonly to: number;
  readonly role: Role;
  readonly part: Part;
  /** Where the text of each merged delta ends, so that a client that has seen some of them gets the rest. */
  readonly ends?: readonly number[];
}

/** Approximate size of an entry without its text. */
const ENTRY_BYTES = 160;
/** The newest entries are read most and are not merged. */
const KEEP_APART = 128;
/** Merged entries stay small: they are split for clients that have seen some of their deltas. */
const BLOCK_LENGTH = 4096;
const BLOCK_DELTAS = 256;

const BUFFER_BYTES = 1_000_000;

/**
 * The live parts of one episode, numbered 1, 2, 3 …. When they take too much memory, adjacent deltas are merged; when that
 * is not enough, one placeholder replaces the oldest entries. Numbers have no gaps.
 */
export class PartBuffer {
  readonly live: LiveTag;
  readonly #limit: number;
  #entries: LiveEntry[] = [];
  #bytes = 0;
  /** Entries before this one are merged. */
  #settled = 0;

  constructor(live: LiveTag, limit = BUFFER_BYTES) {
    this.live = live;
    this.#limit = limit;
  }

  /** The number of the newest part. 0: none. */
  get seq(): number {
    return this.#entries.at(-1)?.to ?? 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(role: Role, part: Part): void {
    const seq = this.seq + 1;
    this.#add({ from: seq, to: seq, role, part });
  }

  /** Adds the new entries of another process. False: entries before them are missing, and nothing is added. */
  append(entries: readonly LiveEntry[]): boolean {
    for (const entry of entries) {
      if (entry.to <= this.seq) continue;
      if (entry.from > this.seq + 1) return false;
      this.#add(restOf(entry, this.seq));
    }
    return true;
  }

  /** The entries after a number. */
  after(seq: number): LiveEntry[] {
    const entries = this.#entries;
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const entry = entries[middle];
      if (entry !== undefined && entry.to <= seq) low = middle + 1;
      else high = middle;
    }
    const found = entries.slice(low);
    const [first] = found;
    if (first !== undefined) found[0] = restOf(first, seq);
    return found;
  }

  #add(entry: LiveEntry): void {
    this.#entries.push(entry);
    this.#bytes += sizeOf(entry);
    if (this.#entries.length - this.#settled > 2 * KEEP_APART) this.#settle(KEEP_APART);
    if (this.#bytes > this.#limit) this.#makeRoom();
  }

  /** Merges all entries but the newest. */
  #settle(keepApart: number): void {
    const end = this.#entries.length - keepApart;
    const settled = this.#entries.slice(0, this.#settled);
    for (const entry of this.#entries.slice(this.#settled, end)) addMerged(settled, entry);
    this.#settled = settled.length;
    this.#entries = [...settled, ...this.#entries.slice(end)];
    this.#bytes = this.#entries.reduce((sum, each) => sum + sizeOf(each), 0);
  }

  /** Shrinks to three quarters, so that this is rare. */
  #makeRoom(): void {
    this.#settle(0);
    if (this.#bytes <= (this.#limit * 3) / 4) return;
    let dropped = 0;
    for (const entry of this.#entries.slice(0, -1)) {
      if (this.#bytes <= (this.#limit * 3) / 4) break;
      this.#bytes -= sizeOf(entry);
      dropped += 1;
    }
    const last = this.#entries[dropped - 1];
    const [first] = this.#entries;
    if (last === undefined || first === undefined) return;
    const stand: LiveEntry = {
      from: first.from,
      to: last.to,
      role: last.role,
      part: placeholderFor(last.part),
    };
    this.#entries = [stand, ...this.#entries.slice(dropped)];
    this.#bytes += sizeOf(stand);
    this.#settled = this.#entries.length;
  }
}

/** Merges adjacent deltas, for a client that is behind. */
export function merged(entries: readonly LiveEntry[]): LiveEntry[] {
  const all: LiveEntry[] = [];
  for (const entry of entries) addMerged(all, entry);
  return all;
}

function addMerged(entries: LiveEntry[], entry: LiveEntry): void {
  const last = entries.at(-1);
  const both = last && join(last, entry);
  if (both === undefined) entries.push(entry);
  else entries[entries.length - 1] = both;
}

function join(a: LiveEntry, b: LiveEntry): LiveEntry | undefined {
  if (a.role !== b.role) return undefined;
  const before = deltaOf(a.part)?.length;
  const after = deltaOf(b.part)?.length;
  if (before === undefined || after === undefined || before + after > BLOCK_LENGTH) {
    return undefined;
  }
  // A placeholder has no ends and is never merged.
  if (!isWhole(a) || !isWhole(b) || b.to - a.from >= BLOCK_DELTAS) return undefined;
  const part = mergeParts(a.part, b.part);
  if (part === undefined) return undefined;
  const ends = [...(a.ends ?? [before]), ...(b.ends ?? [after]).map((end) => before + end)];
  return { from: a.from, to: b.to, role: a.role, part, ends };
}

const isWhole = (entry: LiveEntry) => entry.from === entry.to || entry.ends !== undefined;

/** The rest of an entry after a number. */
function restOf(entry: LiveEntry, seq: number): LiveEntry {
  if (seq < entry.from) return entry;
  const { to, role, part, ends } = entry;
  const seen = ends?.[seq - entry.from];
  const text = deltaOf(part);
  if (ends === undefined || seen === undefined || text === undefined) {
    return { ...entry, from: seq + 1 };
  }
  const left = ends.slice(seq - entry.from + 1).map((end) => end - seen);
  return {
    from: seq + 1,
    to,
    role,
    part: withDelta(part, text.slice(seen)),
    ...(left.length > 1 && { ends: left }),
  };
}

function sizeOf({ part, ends }: LiveEntry): number {
  const text = deltaOf(part);
  const content = text === undefined ? JSON.stringify(part).length : text.length;
  return ENTRY_BYTES + content + (ends?.length ?? 0) * 8;
}
