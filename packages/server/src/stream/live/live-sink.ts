import type { Episode } from '@chatd/loop';
import type { Part, Role } from '@chatd/protocol';

/**
 * Takes parts that are not committed yet. Attempt 0 of a history version is its tool phase; model calls count from 1.
 * Never waits or throws, so a slow reader never slows down a runner.
 */
export interface LiveSink {
  /** Begins an episode. The parts of the previous one are void: withdrawn, or committed by now. */
  begin(chatId: string, episode: Episode): void;
  /** Adds the next part of the episode: seq 1, 2, 3 … */
  push(chatId: string, role: Role, part: Part): void;
  /** This process no longer runs the chat. Its parts are void. */
  end(chatId: string): void;
}
