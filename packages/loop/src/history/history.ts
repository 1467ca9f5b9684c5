import type { AwaitedCall, ChatError, Retry } from '@chatd/protocol';
import type { HistoryMessage } from './message.ts';

/** What the chat's row says beside its messages. */
export interface ChatFacts {
  /** Someone asked for a summary; the turn ends with it. */
  compaction_requested?: boolean;
  /**
   * Decisions on calls of the last response, by call id. An id is unique within a response, not within
   * a chat: with a new response all of them are void.
   */
  approvals?: Readonly<Record<string, 'allow' | 'deny'>>;
  /**
   * Open calls of the last response that an earlier owner of the chat may have started. An owner that committed the calls
   * itself and has not started them leaves them out; one that takes a chat over adds `begunCalls`.
   */
  maybe_started?: readonly string[];
}

/** The committed state of a chat: all that `next` looks at. */
export interface Snapshot {
  messages: readonly HistoryMessage[];
  chat: ChatFacts;
}

/** One try at one model call; live parts belong to one. Attempts of a history version count from 1. */
export interface Episode {
  history_version: number;
  attempt: number;
}

/**
 * Who holds the history. Every method that writes resolves after the write is durable; what one of
 * them throws ends the run and reaches the caller of `runTurn`, but for one case: `Interrupted` says
 * that an interrupt came first and nothing was written. The turn then ends with
 * `finishInterruption`, which gets the messages of a refused `commit`.
 */
export interface History {
  read(): Promise<Snapshot>;
  beginAttempt(): Promise<Episode>;
  /** These calls are about to start, and no committed message said so (`meta.starts`). */
  beginTools(callIds: readonly string[]): Promise<void>;
  recordRetry(retry: Retry): Promise<void>;
  /**
   * A manual summary, or its failure, also clears the request for it. `expected` is what the loop is going to ask for
   * next unless something comes in between: a history may do it in the same write, and then has nothing left to do in
   * `beginAttempt` or `finishTurn`.
   */
  commit(messages: readonly HistoryMessage[], expected?: 'generate' | 'finish'): Promise<void>;
  requireAction(calls: readonly AwaitedCall[]): Promise<void>;
  /** `running` when a queued message joined the history and the next turn begins at once. */
  finishTurn(): Promise<'waiting' | 'running'>;
  /**
   * The last write of an interrupted turn: not to be cancelled by the interrupt itself. A request for
   * a summary is void with it.
   */
  finishInterruption(partial: readonly HistoryMessage[]): Promise<void>;
  fail(error: ChatError): Promise<void>;
}
