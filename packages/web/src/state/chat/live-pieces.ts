import type { Part, ReasoningPart, SourcePart } from '@chatd/protocol';
import { citationMark, MessageSources } from '@chatd/protocol/presentation';
import { addCitations } from '../../markdown/blocks/block-stream.ts';
import { markOf } from '../../markdown/citation.ts';
import { Cell } from '../cell.ts';
import { PacedText } from './paced-text.ts';
import {
  callKey,
  keyOf,
  type Known,
  type Piece,
  sourcesKey,
  type ThinkingTime,
  timeOf,
} from './pieces.ts';

/**
 * The streaming answer. A delta changes only the text that it belongs to; the list changes only when a piece starts.
 */
export class LivePieces {
  readonly list = new Cell<readonly Piece[]>([]);
  readonly #now: () => number;
  #slots = 0;
  #texts = new Map<string, PacedText>();
  #sources = new MessageSources();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The key prefix of this answer, the same before and after the commit. */
  get slot(): string {
    return `live-${this.#slots}`;
  }

  get isEmpty(): boolean {
    return this.list.get().length === 0;
  }

  add(part: Part): void {
    switch (part.type) {
      case 'text':
        this.#grow('text', part.text);
        break;
      case 'reasoning':
        this.#think(part);
        break;
      case 'tool-call':
        this.#endText();
        if (
          !this.list
            .get()
            .some((piece) => piece.kind === 'call' && piece.callId === part.tool_call_id)
        ) {
          const { tool_call_id: callId } = part;
          this.#push({ kind: 'call', key: callKey(this.slot, callId), callId });
        }
        break;
      case 'source':
        this.#cite(part);
        break;
      case 'file':
        this.#push({ kind: 'file', key: keyOf(this.slot, this.list.get(), 'file'), part });
        break;
      case 'tool-result':
        this.#sources.add(part, '');
        break;
      case 'file-reference':
        break;
    }
  }

  /** Reveals the text due in this frame. True: more is pending. */
  advance(): boolean {
    let left = false;
    for (const text of this.#texts.values()) left = text.advance() || left;
    return left;
  }

  /** The answer was committed: its parsed texts are reused. */
  handOver(): { readonly slot: string; readonly known: Known } {
    for (const text of this.#texts.values()) text.end();
    const handed = { slot: this.slot, known: this.#texts };
    this.reset();
    return handed;
  }

  reset(): void {
    if (this.isEmpty) return;
    this.#texts = new Map();
    this.#sources = new MessageSources();
    this.#slots += 1;
    this.list.set([]);
  }

  #grow(kind: 'text' | 'reasoning', text: string): void {
    const known = this.#last(kind);
    if (known !== undefined) {
      known.add(text);
      return;
    }
    // Leading white space makes no piece; committed messages have none for it either.
    if (text.trim() === '') return;
    this.#endText();
    const key = keyOf(this.slot, this.list.get(), kind);
    const begun = new PacedText();
    begun.add(text);
    this.#texts.set(key, begun);
    const { stream } = begun;
    if (kind === 'text') this.#push({ kind, key, stream });
    else this.#push({ kind, key, stream, time: new Cell<ThinkingTime>(NOT_TIMED) });
  }

  #think(part: ReasoningPart): void {
    this.#grow('reasoning', part.text);
    const last = this.list.get().at(-1);
    if (last?.kind !== 'reasoning') return;
    last.time.update(({ startedAt, endedAt }) => ({
      startedAt: startedAt ?? timeOf(part.created_at) ?? this.#now(),
      endedAt: timeOf(part.completed_at) ?? endedAt,
    }));
  }

  /** The next piece has started, so the reasoning has ended. */
  #endText(): void {
    const last = this.list.get().at(-1);
    if (last?.kind === 'reasoning') {
      last.time.update((time) => ({ ...time, endedAt: time.endedAt ?? this.#now() }));
    }
  }

  /** The last text, if it has this kind: the next delta continues it. */
  #last(kind: 'text' | 'reasoning'): PacedText | undefined {
    const last = this.list.get().findLast((piece) => piece.kind !== 'sources');
    return last?.kind === kind ? this.#texts.get(last.key) : undefined;
  }

  #cite(source: SourcePart): void {
    const text = this.#last('text');
    const before = text?.text() ?? '';
    const number = this.#sources.add(source, before);
    const sources = this.#sources.list;
    if (number !== undefined && text !== undefined) {
      addCitations(text.stream, sources);
      text.add(citationMark(before, markOf(number)));
    }
    if (sources.length === 0) return;
    const others = this.list.get().filter(({ kind }) => kind !== 'sources');
    this.list.set([...others, { kind: 'sources', key: sourcesKey(this.slot), sources }]);
  }

  /** Sources stay last. */
  #push(piece: Piece): void {
    const list = this.list.get();
    const sources = list.filter(({ kind }) => kind === 'sources');
    this.list.set([...list.filter(({ kind }) => kind !== 'sources'), piece, ...sources]);
  }
}

const NOT_TIMED: ThinkingTime = { startedAt: undefined, endedAt: undefined };
