import { setTimeout as sleep } from 'node:timers/promises';
import type { Slack, ThreadId } from './slack.ts';

/** Slack allows about one edit per second and channel. */
const EDIT_MS = 1200;

export interface EditedMessageOptions {
  readonly slack: Slack;
  readonly thread: ThreadId;
  /** Id of the message if it was posted before. */
  readonly id?: string | undefined;
  readonly onPosted: (id: string) => Promise<void>;
}

/** A Slack message that is edited while the model writes: the newest text, one call at a time, rate-limited. */
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
    // `done` reports the error.
    this.#writing.catch(() => undefined);
  }

  /** Resolves when Slack has the last text. */
  async done(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #write(): Promise<void> {
    const { slack, thread, onPosted } = this.#options;
    while (this.#wanted !== this.#shown) {
      const text = this.#wanted;
      if (this.#id === undefined) {
        this.#id = await slack.post(thread, text);
        await onPosted(this.#id);
      } else {
        await slack.edit(thread, this.#id, text);
      }
      this.#shown = text;
      await sleep(EDIT_MS);
    }
  }
}
