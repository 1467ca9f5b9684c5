import type { AwaitedCall, ChatError, Retry } from '@chatd/protocol';
import type { HistoryMessage } from './message.ts';

/** A user's decision on a call. The model gets the reason of a denial. */
export type CallDecision = 'allow' | 'deny' | { deny: string };

/** Chat state besides the messages. */
export interface ChatFacts {
  /** A user requested a summary; the turn ends with it. */
  compaction_requested?: boolean;
  /**
   * Decisions on calls of the last response, by call ID. IDs are unique within a response, so a new response clears the
   * decisions.
   */
  approvals?: Readonly<Record<string, CallDecision>>;
  /**
   * Open calls of the last response that a previous owner of the chat may have started. An owner that committed the
   * calls and has not started them omits them; a new owner adds `begunCalls`.
   */
  maybe_started?: readonly string[];
}

/** The committed state of a chat: the whole input of `next`. */
export interface Snapshot {
  messages: readonly HistoryMessage[];
  chat: ChatFacts;
}

/** One attempt at a model call; live parts belong to an episode. The attempts of a history version count from 1. */
export interface Episode {
  history_version: number;
  attempt: number;
}

/**
 * The store of a chat's history. Writing methods resolve once the write is durable. Errors end the run and reach the
 * caller of `runTurn`, with one exception: `Interrupted` means that an interrupt came first and nothing was written.
 * The turn then ends with `finishInterruption`, which receives the messages of the rejected `commit`.
 */
export interface History {
  read(): Promise<Snapshot>;
  beginAttempt(): Promise<Episode>;
  /** Marks calls as about to start if no committed message did (`meta.starts`). */
  beginTools(callIds: readonly string[]): Promise<void>;
  recordRetry(retry: Retry): Promise<void>;
  /**
   * A manual summary, or its failure, also clears the request for it. `expected` is the loop's next operation unless
   * something intervenes: a history may perform it in the same write, and then has nothing left to do in `beginAttempt`
   * or `finishTurn`.
   */
  commit(messages: readonly HistoryMessage[], expected?: 'generate' | 'finish'): Promise<void>;
  requireAction(calls: readonly AwaitedCall[]): Promise<void>;
  /** `running` if a queued message joined the history and the next turn starts immediately. */
  finishTurn(): Promise<'waiting' | 'running'>;
  /** The last write of an interrupted turn, which the interrupt itself must not cancel. Clears a requested summary. */
  finishInterruption(partial: readonly HistoryMessage[]): Promise<void>;
  fail(error: ChatError): Promise<void>;
}
