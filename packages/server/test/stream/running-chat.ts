import type { Part, Role } from '@chatd/protocol';
import type { Fence } from '../../src/chat/fence.ts';
import type { NewMessage } from '../../src/chat/writes.ts';
import { LEASE_MS, type TestStore } from '@chatd/test-server/database';
import type { Replica } from './replica.ts';

/** A chat that a test runs step by step, in place of a runner. */
export class RunningChat {
  readonly store: TestStore;
  readonly id: string;
  replica: Replica;
  fence: Fence;
  attempt = 0;

  static async create(replica: Replica): Promise<RunningChat> {
    const { store } = replica;
    const { id } = await store.create();
    return await RunningChat.take(replica, id);
  }

  /** Acquires the chat for a worker of the replica. A negative `leaseMs` ignores the lease of the last owner. */
  static async take(replica: Replica, id: string, leaseMs = LEASE_MS): Promise<RunningChat> {
    const { store } = replica;
    const acquired = await store.runner.acquire(replica.id, 1000, leaseMs);
    await store.runner.heartbeat(replica.id);
    const chat = acquired.find((row) => row.id === id) ?? (await store.read(id));
    if (chat.runner_id === null || chat.worker_id !== replica.id) throw new Error('not taken');
    const { runner_id, history_version, attempt } = chat;
    return new RunningChat(replica, id, { runner_id, history_version }, attempt);
  }

  private constructor(replica: Replica, id: string, fence: Fence, attempt: number) {
    this.store = replica.store;
    this.replica = replica;
    this.id = id;
    this.fence = fence;
    this.attempt = attempt;
  }

  async beginAttempt(): Promise<void> {
    await this.store.runner.beginAttempt(this.id, this.fence, this.attempt + 1);
    this.attempt += 1;
    this.begin();
  }

  /** Announces an episode to the stream without a database write: a tool phase, or attempt 0. */
  begin(): void {
    const { history_version } = this.fence;
    this.replica.streams.sink.begin(this.id, { history_version, attempt: this.attempt });
  }

  say(...texts: string[]): void {
    for (const text of texts) this.push({ type: 'text', text });
  }

  push(part: Part, role: Role = 'assistant'): void {
    this.replica.streams.sink.push(this.id, role, part);
  }

  async commit(...messages: NewMessage[]): Promise<void> {
    const step = { messages, attempt: this.attempt };
    const { history_version } = await this.store.runner.commitStep(this.id, this.fence, step);
    this.fence = { ...this.fence, history_version };
    this.attempt = 0;
    this.begin();
  }

  async finish(): Promise<void> {
    await this.store.runner.finishTurn(this.id, this.fence);
    this.replica.streams.sink.end(this.id);
  }
}
