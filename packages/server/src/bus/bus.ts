import type { Json } from '@chatd/protocol';

/**
 * How the processes of a deployment talk: hints and live parts, never the truth. A message may be lost (each
 * subscriber also looks by itself from time to time), but comes at most once, and those of one publisher on one
 * subject come in order. What is published is not copied for subscribers of the same process: nobody changes it.
 */
export interface Bus {
  /** Says it to all subscribers of the subject, in this process and in the others. Never waits, never throws. */
  publish(subject: string, payload: Json): void;
  /** Resolves when messages published from now on arrive. */
  subscribe(subject: string, handler: (payload: Json) => void): Promise<Subscription>;
  /** Asks whoever answers on the subject. Rejects with `NoAnswer` when nobody does in time. */
  request(subject: string, payload: Json, options: RequestOptions): Promise<Json>;
  /** Answers requests on the subject: at most one process answers on each. */
  answer(subject: string, handler: (payload: Json) => Json | Promise<Json>): Promise<Subscription>;
  /** Called after messages of others may have been missed, once they arrive again: time to look at the database. */
  onGap(listener: () => void): () => void;
  /** What was published just before is still sent, when that takes no longer than a moment. */
  close(): Promise<void>;
  readonly stats: Readonly<BusStats>;
}

export interface Subscription {
  close(): Promise<void>;
}

export interface RequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Counted since the bus was opened. */
export interface BusStats {
  /** Messages of this process, whether or not anybody listened. */
  published: number;
  /** Messages of other processes that arrived here. */
  received: number;
  /** Messages of this process that did not get away: others may have a gap. */
  dropped: number;
  /** Connections that were lost and replaced. */
  reconnects: number;
}

export const newStats = (): BusStats => ({ published: 0, received: 0, dropped: 0, reconnects: 0 });

export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor(subject: string) {
    super(`Nobody answered on ${subject} in time.`);
  }
}

export class BusClosed extends Error {
  override readonly name = 'BusClosed';

  constructor() {
    super('The bus is closed.');
  }
}
