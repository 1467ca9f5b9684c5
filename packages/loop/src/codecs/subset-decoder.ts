import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Decoder, Emit, Received } from './codec.ts';
import { type Fields, isFields } from './fields.ts';
import { PackageDecoder, type Replay } from './package-decoder.ts';

/**
 * What became of an event:
 * - The event itself, or one with the same effect: it changed the state and is kept.
 * - `output`: it only added text to a block.
 * - `ignored`: it had no effect on later events.
 * - Undefined: it is outside the subset, and nothing was emitted.
 */
export type Taken = Fields | 'output' | 'ignored' | undefined;

/**
 * Decodes the events that it knows exactly. At the first other event, and if the response is incomplete, the provider's
 * package takes over and gets the kept events.
 */
export abstract class SubsetDecoder implements Decoder {
  readonly #replay: Replay;
  readonly #emit: Emit;
  protected readonly received: Received;
  readonly #kept: Fields[] = [];
  /** How many parts the package emits for the kept events, beginning with `stream-start`. */
  #partsOfKept = 1;
  #emitted = 0;
  #hasOutput = false;
  #package: PackageDecoder | undefined;

  constructor(replay: Replay, received: Received, emit: Emit) {
    this.#replay = replay;
    this.received = received;
    this.#emit = emit;
  }

  /** Emits the parts of an event. */
  protected abstract take(event: Fields): Taken;
  /** Emits the last parts. False if the response is incomplete: then nothing was emitted. */
  protected abstract finish(): boolean;

  /** Events with the state from events that were not kept, and how many parts the package emits for them. */
  protected missed(): { events: Fields[]; parts: number } {
    return { events: [], parts: 0 };
  }

  protected emit(part: LanguageModelV4StreamPart): void {
    this.#emitted++;
    this.#emit(part);
  }

  event(value: unknown): void {
    if (this.#package !== undefined) {
      this.#package.event(value);
      return;
    }
    const before = this.#emitted;
    const taken = isFields(value) ? this.take(value) : undefined;
    if (taken === undefined) this.#handOver().event(value);
    else if (taken !== 'ignored') this.#keep(taken, value as Fields, this.#emitted - before);
  }

  malformed(error: unknown): void {
    (this.#package ?? this.#handOver()).malformed(error);
  }

  end(): Promise<void> | undefined {
    if (this.#package === undefined && this.finish()) return undefined;
    return (this.#package ?? this.#handOver()).end();
  }

  ready(): Promise<void> | undefined {
    return this.#package?.ready();
  }

  cancel(): void {
    this.#package?.cancel();
  }

  /** Packages tell a response without output from one that was cut off, so the first output is kept. */
  #keep(taken: Fields | 'output', event: Fields, parts: number): void {
    if (taken === 'output' && this.#hasOutput) return;
    if (taken === 'output') this.#hasOutput = true;
    this.#kept.push(taken === 'output' ? event : taken);
    this.#partsOfKept += parts;
  }

  #handOver(): PackageDecoder {
    const missed = this.missed();
    const events = [...this.#kept, ...missed.events];
    const parts = this.#partsOfKept + missed.parts;
    this.#package = new PackageDecoder(this.#replay, this.received, this.#emit, events, parts);
    return this.#package;
  }
}
