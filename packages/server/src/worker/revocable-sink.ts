import type { Episode } from '@chatd/loop';
import type { Part, Role } from '@chatd/protocol';
import type { LiveSink } from '../stream/live/live-sink.ts';

/** The live sink of one runner, until it is revoked. */
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
