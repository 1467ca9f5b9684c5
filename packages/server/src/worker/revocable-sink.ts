import type { Episode } from '@chatd/loop';
import type { Part, Role } from '@chatd/protocol';
import type { LiveSink } from '../stream/live-sink.ts';

/** One runner's way to the live parts of its chat, until it is taken from it. */
export class RevocableSink implements LiveSink {
  #sink: LiveSink | undefined;

  constructor(sink: LiveSink) {
    this.#sink = sink;
  }

  revoke(): void {
    this.#sink = undefined;
  }

  begin(chatId: string, episode: Episode): void {
    this.#sink?.begin(chatId, episode);
  }

  push(chatId: string, role: Role, part: Part): void {
    this.#sink?.push(chatId, role, part);
  }

  end(chatId: string): void {
    this.#sink?.end(chatId);
  }
}
