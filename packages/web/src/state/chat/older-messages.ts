import type { Message } from '@chatd/protocol';
import { explain } from '../../api/explain.ts';
import { Cell } from '../cell.ts';

export type OlderState =
  | { readonly kind: 'unknown' | 'more' | 'loading' | 'all' }
  | { readonly kind: 'failed'; readonly reason: string };

interface OlderOptions {
  /** The page before a message, oldest first. */
  readonly read: (beforeId: number) => Promise<{ messages: Message[]; has_more: boolean }>;
  readonly oldest: () => number | undefined;
  readonly add: (messages: readonly Message[]) => void;
  /** Schedules work for an idle moment. */
  readonly whenIdle: (run: () => void) => void;
}

/** Loaded in the background, so that jump and find work. More is loaded on scroll. */
const FILLED = 6000;

/** Loads messages older than the initial page. */
export class OlderMessages {
  readonly state = new Cell<OlderState>({ kind: 'unknown' });
  readonly #options: OlderOptions;
  #loaded = 0;
  #era = 0;
  #loading: Promise<void> | undefined;

  constructor(options: OlderOptions) {
    this.#options = options;
  }

  /** The initial page has arrived. */
  begin(perhapsMore: boolean): void {
    if (this.state.get().kind !== 'unknown') return;
    this.state.set({ kind: perhapsMore ? 'more' : 'all' });
    this.#fill();
  }

  /** The history was reset. */
  reset(): void {
    this.#era += 1;
    this.#loaded = 0;
    this.state.set({ kind: 'unknown' });
  }

  readonly load = (): Promise<void> => {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  };

  /** Loads pages until this message is among them. */
  async loadTo(id: number): Promise<void> {
    const era = this.#era;
    const isLoaded = () => (this.#options.oldest() ?? 0) <= id;
    while (!isLoaded() && era === this.#era) {
      await this.load();
      const { kind } = this.state.get();
      if (kind !== 'more') return;
    }
  }

  async #load(): Promise<void> {
    const { kind } = this.state.get();
    const before = this.#options.oldest();
    if ((kind !== 'more' && kind !== 'failed') || before === undefined) return;
    const era = this.#era;
    this.state.set({ kind: 'loading' });
    try {
      const { messages, has_more: more } = await this.#options.read(before);
      if (era !== this.#era) return;
      this.#loaded += messages.length;
      this.#options.add(messages);
      this.state.set({ kind: more ? 'more' : 'all' });
    } catch (error) {
      if (era === this.#era) this.state.set({ kind: 'failed', reason: explain(error) });
    }
  }

  #fill(): void {
    if (this.state.get().kind !== 'more' || this.#loaded >= FILLED) return;
    const era = this.#era;
    this.#options.whenIdle(() => {
      if (era !== this.#era) return;
      void this.load().then(() => this.#fill());
    });
  }
}
