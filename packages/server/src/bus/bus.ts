import type { Json } from '@chatd/protocol';

/**
 * Messages between the replicas of a deployment: hints and live parts. Messages can be lost, so subscribers also poll.
 * They arrive at most once, and those of one publisher on one subject arrive in order. Payloads are not copied for
 * subscribers of the same process, and must not be changed.
 */
export interface Bus {
  /** Sends to all subscribers of the subject, in this and in other processes. Never waits or throws. */
  publish(subject: string, payload: Json): void;
  /** Resolves when messages that are published from now on arrive. */
  subscribe(subject: string, handler: (payload: Json) => void): Promise<Subscription>;
  /** Rejects with `NoAnswer` if no process answers on the subject in time. */
  request(subject: string, payload: Json, options: RequestOptions): Promise<Json>;
  /** Answers requests on the subject. At most one process may answer on a subject. */
  answer(subject: string, handler: (payload: Json) => Json | Promise<Json>): Promise<Subscription>;
  /** Called when messages may have been lost and arrive again. The listener should read the database. */
  onGap(listener: () => void): () => void;
  /** Sends what was published before, within a short timeout. */
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

export interface BusStats {
  /** Messages that this process published. */
  published: number;
  /** Messages from other processes. */
  received: number;
  /** Messages that this process could not send. */
  dropped: number;
  /** Connections that were lost and replaced. */
  reconnects: number;
}

export const newStats = (): BusStats => ({ published: 0, received: 0, dropped: 0, reconnects: 0 });

export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor(subject: string) {
    super(`No process answered on ${subject} in time.`);
  }
}

export class BusClosed extends Error {
  override readonly name = 'BusClosed';

  constructor() {
    super('The bus is closed.');
  }
}
