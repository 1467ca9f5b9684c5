import type { Episode } from '@chatd/loop';
import type { Part, Role } from '@chatd/protocol';

/**
 * Where runners put what is not committed yet. Attempt 0 of a history version is its tool phase, generations
 * count from 1. Everything here is quick and never throws: a slow reader never slows a runner.
 */
export interface LiveSink {
  /** A new episode of a chat: the parts of the one before are void (withdrawn, or committed by now). */
  begin(chatId: string, episode: Episode): void;
  /** The next live part of the chat's episode: seq 1, 2, 3 … */
  push(chatId: string, role: Role, part: Part): void;
  /** This process no longer runs the chat: its parts are void. */
  end(chatId: string): void;
}
