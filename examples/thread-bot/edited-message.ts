import { setTimeout as sleep } from 'node:timers/promises';
import type { Place, Slack } from './slack.ts';

/** Slack allows about one edit a second in a channel. */
const EDIT_MS = 1200;

export interface EditedMessageOptions {
  readonly slack: Slack;
  readonly place: Place;
  /** The message, when it was posted before. */
  readonly id?: string | undefined;
  readonly onPosted: (id: string) => Promise<void>;
}

/** One message that grows while the model writes: always the newest text, one call at a time, with a pause between. */
export class EditedMessage {
  readonly #options: EditedMessageOptions;
  #id: string | undefined;
  #wanted = '';
  #shown = '';
  #writing: Promise<void> | undefined;

  constructor(options: EditedMessageOptions) {
    this.#options = options;
    this.#id = options.id;
  }

  show(text: string): void {
    this.#wanted = text;
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
    // Whoever waits for the end gets the error.
    this.#writing.catch(() => undefined);
  }

  /** Until the last text is there. */
  async done(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #write(): Promise<void> {
    const { slack, place, onPosted } = this.#options;
    while (this.#wanted !== this.#shown) {
      const text = this.#wanted;
      if (this.#id === undefined) {
        this.#id = await slack.post(place, text);
        await onPosted(this.#id);
      } else {
        await slack.edit(place, this.#id, text);
      }
      this.#shown = text;
      await sleep(EDIT_MS);
    }
  }
}
