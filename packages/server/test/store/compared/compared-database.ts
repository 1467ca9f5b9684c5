import type { TestStore } from '@chatd/test-server/database';
import type { OutboxRow } from '../../../../../faults/simulation/postgres.ts';

/** The rows that the operations write: all columns that a statement of the simulation reads. */
export interface Rows {
  readonly chats: readonly { readonly id: string }[];
  readonly triggers: readonly { readonly id: string; readonly next_fire_at: Date | null }[];
  readonly trigger_runs: readonly { readonly id: string }[];
  readonly trigger_chats: readonly object[];
  readonly outbox: readonly OutboxRow[];
  readonly failing_targets: readonly object[];
  readonly machines: readonly object[];
  readonly machine_connections: readonly object[];
  readonly workers: readonly object[];
}

/** A database with the rows of the fixture, and a clock that the test moves. */
export interface ComparedDatabase {
  readonly store: TestStore;
  rows(): Promise<Rows>;
  /** In milliseconds after the start of the fixture. */
  moveClock(to: number): Promise<void>;
  restart(): Promise<void>;
  /** Resolves once the work has ended, or waits for a lock. */
  settledOrBlocked(work: Promise<unknown>): Promise<'settled' | 'blocked'>;
}
