import type { Message, Part, Role } from '@chatd/protocol';
import { expect } from 'vitest';
import type { Fence } from '../../src/chat/fence.ts';
import { Refused } from '../../src/chat/refused.ts';
import type { ChatRow } from '../../src/chat/row.ts';
import type { NewMessage } from '../../src/chat/writes.ts';
import { presentMessage } from '../../src/present/message.ts';
import { presentQueuedMessage } from '../../src/present/queued-message.ts';
import type { LocalChange } from '../../src/store/change.ts';
import type { Committed } from '../../src/store/commands/runner-commands.ts';
import type { PartBuffer } from '../../src/stream/live/part-buffer.ts';
import type { PartBuffers } from '../../src/stream/live/part-buffers.ts';
import { eventually } from '@chatd/test-server/eventually';
import { calls, LEASE_MS, results, says, type TestStore, text } from '@chatd/test-server/database';
import type { LossyBus } from './lossy-bus.ts';
import type { Move } from './random-moves.ts';
import type { Replica } from './replica.ts';
import { Seen, textOf, Viewer } from './viewer.ts';

type RunnerMove = Move & {
  kind:
    | 'attempt'
    | 'parts'
    | 'retry'
    | 'commit'
    | 'finish'
    | 'finish_interruption'
    | 'require_action'
    | 'fail';
};

/** Some clients request only the newest messages. */
const TAILS = [undefined, undefined, 0, 2];

interface Client {
  readonly tail: number | undefined;
  readonly seen: Seen;
  viewer: Viewer | undefined;
  /** Clients connect while the sequence continues. */
  opening: Promise<void>;
}

/** One chat on two replicas with some clients, for a sequence of random moves. */
export class Stage {
  readonly #store: TestStore;
  readonly #replicas: readonly { readonly replica: Replica; readonly bus: LossyBus }[];
  readonly #chatId: string;
  readonly #clients: Client[] = TAILS.map((tail) => ({
    tail,
    seen: new Seen(),
    viewer: undefined,
    opening: Promise.resolve(),
  }));
  /** A replica that lost the chat and has not noticed. */
  #zombie: Replica | undefined;
  #count = 0;

  static async create(
    store: TestStore,
    replicas: readonly { readonly replica: Replica; readonly bus: LossyBus }[],
  ): Promise<Stage> {
    const { id } = await store.create();
    return new Stage(store, replicas, id);
  }

  private constructor(
    store: TestStore,
    replicas: readonly { readonly replica: Replica; readonly bus: LossyBus }[],
    chatId: string,
  ) {
    this.#store = store;
    this.#replicas = replicas;
    this.#chatId = chatId;
  }

  async perform(move: Move): Promise<void> {
    try {
      await this.#perform(move, await this.#store.read(this.#chatId));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
    for (const { seen } of this.#clients) seen.check();
  }

  /** Connects and resumes all clients, and compares what they see with the stored state. */
  async end(): Promise<void> {
    for (const [index, client] of this.#clients.entries()) {
      await client.opening;
      client.viewer?.resume();
      if (client.viewer?.isOpen !== true) this.#connect(client, index % 2);
    }
    await this.compare();
    for (const { viewer } of this.#clients) viewer?.cut();
    for (const { replica } of this.#replicas) replica.streams.sink.end(this.#chatId);
  }

  /** Stops losing bus messages, and waits until all connected clients see the stored state. */
  async compare(): Promise<void> {
    for (const { bus } of this.#replicas) bus.losing = false;
    await Promise.all(this.#clients.map(({ opening }) => opening));
    const expected = await this.#truth();
    await eventually(() => {
      for (const { seen, viewer, tail } of this.#clients) {
        seen.check();
        if (viewer?.isOpen !== true || viewer.isStuck) continue;
        expectView(seen, { ...expected, messages: wanted(expected.messages, seen, tail) });
      }
    });
  }

  async #truth() {
    const row = await this.#store.read(this.#chatId);
    const history = await this.#store.history(this.#chatId);
    const queue = await this.#store.queue(this.#chatId);
    return {
      messages: history.filter(({ hidden }) => !hidden).map(presentMessage),
      queued: queue.map(presentQueuedMessage),
      status: row.status,
      live: this.#liveTruth(row),
    };
  }

  #liveTruth(row: ChatRow) {
    const owner = this.#ownerOf(row);
    const buffer = owner && bufferOf(owner, this.#chatId);
    if (!buffer || buffer.seq === 0) return undefined;
    const { history_version, attempt } = buffer.live;
    const busy = row.status === 'running' || row.status === 'interrupting';
    const failed = row.retry !== null && attempt > 0;
    if (!busy || failed) return undefined;
    if (history_version !== row.history_version || attempt !== row.attempt) return undefined;
    return { history_version, attempt, seq: buffer.seq, text: textOf(buffer.after(0)) };
  }

  #ownerOf(row: ChatRow): Replica | undefined {
    return this.#replicas.find(({ replica }) => replica.id === row.worker_id)?.replica;
  }

  #connect(client: Client, index: number): void {
    const { replica } = this.#replicas[index] ?? {};
    if (replica === undefined || client.viewer?.isOpen === true) return;
    const viewer = new Viewer(client.seen);
    client.viewer = viewer;
    client.opening = replica.open(this.#chatId, viewer, { tail: client.tail });
  }

  async #perform(move: Move, row: ChatRow): Promise<void> {
    switch (move.kind) {
      case 'connect': {
        const client = this.#clients[move.viewer];
        await client?.opening;
        if (client !== undefined) this.#connect(client, move.replica);
        return;
      }
      case 'cut':
        this.#clients[move.viewer]?.viewer?.cutAfter(move.after);
        if (move.after === 0) this.#clients[move.viewer]?.viewer?.cut();
        return;
      case 'stop':
        return this.#clients[move.viewer]?.viewer?.stop();
      case 'go_on':
        return this.#clients[move.viewer]?.viewer?.resume();
      case 'lose': {
        const bus = this.#replicas[move.replica]?.bus;
        if (bus !== undefined) bus.losing = move.losing;
        return;
      }
      case 'pause':
        return await new Promise((resolve) => {
          setTimeout(resolve, 2);
        });
      case 'compare':
        return await this.compare();
      case 'zombie_parts':
        for (let index = 0; index < move.count; index += 1) {
          this.#zombie?.streams.sink.push(this.#chatId, 'assistant', this.#part('text'));
        }
        return;
      case 'take':
      case 'steal':
        return await this.#take(move, row);
      case 'send':
      case 'edit':
      case 'interrupt':
      case 'delete_queued':
      case 'submit':
        return await this.#asClient(move, row);
      case 'attempt':
      case 'parts':
      case 'retry':
      case 'commit':
      case 'finish':
      case 'finish_interruption':
      case 'require_action':
      case 'fail': {
        const owner = this.#ownerOf(row);
        if (owner === undefined || row.runner_id === null) return;
        // On the replica that runs the chat, streams get committed steps from the local store.
        const tell = (change: LocalChange) =>
          change.step && owner.streams.committed(change, change.step);
        this.#store.listeners.add(tell);
        try {
          await this.#asRunner(move, row, owner, row.runner_id);
        } finally {
          this.#store.listeners.delete(tell);
        }
      }
    }
  }

  async #take(move: Move & { kind: 'take' | 'steal' }, row: ChatRow): Promise<void> {
    const { replica } = this.#replicas[move.replica] ?? {};
    const before = this.#ownerOf(row);
    if (replica === undefined || (move.kind === 'steal' && before === undefined)) return;
    const leaseMs = move.kind === 'steal' ? -1000 : LEASE_MS;
    const taken = await this.#store.runner.acquireNamed(replica.id, [this.#chatId], leaseMs);
    await this.#store.runner.heartbeat(replica.id);
    if (taken.length === 0) return;
    this.#zombie = before;
    if (move.kind === 'steal' && move.ends) before?.streams.sink.end(this.#chatId);
    const [{ history_version, attempt }] = taken as [ChatRow];
    if (attempt === 0) replica.streams.sink.begin(this.#chatId, { history_version, attempt });
  }

  async #asClient(
    move: Move & { kind: 'send' | 'edit' | 'interrupt' | 'delete_queued' | 'submit' },
    row: ChatRow,
  ): Promise<void> {
    const { client } = this.#store;
    switch (move.kind) {
      case 'send': {
        const message = this.#store.message(this.#word(), move.behavior);
        await client.send(row.id, message);
        return;
      }
      case 'edit': {
        const history = await this.#store.history(row.id);
        const users = history.filter(({ role }) => role === 'user');
        const target = users[move.which % users.length];
        const content = text(this.#word());
        const more = { model_config_id: null, reasoning_effort: null, created_by: null };
        if (target !== undefined) await client.editMessage(row.id, target.id, { content, ...more });
        return;
      }
      case 'interrupt':
        await client.interrupt(row.id);
        return;
      case 'delete_queued': {
        const [first] = await this.#store.queue(row.id);
        if (first !== undefined) await client.deleteQueued(row.id, first.id);
        return;
      }
      case 'submit':
        await client.submitToolResults(
          row.id,
          row.open_calls.map(({ tool_call_id }) => ({ tool_call_id, output: 1 })),
        );
    }
  }

  async #asRunner(
    move: RunnerMove,
    row: ChatRow,
    owner: Replica,
    runner_id: string,
  ): Promise<void> {
    const { runner } = this.#store;
    const { sink } = owner.streams;
    const { id, history_version, attempt } = row;
    const fence: Fence = { runner_id, history_version };
    const continueOrEnd = ({ status, history_version, attempt }: Committed) =>
      status === 'running' ? sink.begin(id, { history_version, attempt }) : sink.end(id);
    switch (move.kind) {
      case 'attempt':
        await runner.beginAttempt(id, fence, attempt + 1);
        return sink.begin(id, { history_version, attempt: attempt + 1 });
      case 'parts':
        for (let index = 0; index < move.count; index += 1) {
          sink.push(id, roleOf(move.type), this.#part(move.type));
        }
        return;
      case 'retry':
        await runner.recordRetry(id, fence, retryOf(attempt + 1));
        return;
      case 'commit': {
        const messages = this.#step(move.what, row);
        const next = move.what === 'calls' ? undefined : move.next;
        const step = { messages, attempt, ...(next && { next }) };
        return continueOrEnd(await runner.commitStep(id, fence, step));
      }
      case 'finish':
        return continueOrEnd(await runner.finishTurn(id, fence));
      case 'finish_interruption': {
        const messages = move.partial ? [says(this.#word())] : [];
        return continueOrEnd(await runner.finishInterruption(id, fence, { messages, attempt }));
      }
      case 'require_action': {
        const awaited = row.open_calls.map(
          ({ tool_call_id }) => [tool_call_id, 'dynamic'] as const,
        );
        await runner.requireAction(id, fence, Object.fromEntries(awaited), 60_000);
        return sink.end(id);
      }
      case 'fail': {
        const error = { message: this.#word(), kind: 'generic', retryable: false } as const;
        await runner.fail(id, fence, error);
        return sink.end(id);
      }
    }
  }

  #step(what: string, row: ChatRow): NewMessage[] {
    if (row.open_calls.length > 0) {
      return [results(...row.open_calls.map(({ tool_call_id }) => tool_call_id))];
    }
    if (what === 'calls') return [calls(this.#word(), this.#word())];
    if (what === 'hidden') return [{ ...says(this.#word()), hidden: true }, says(this.#word())];
    return [says(this.#word())];
  }

  #part(type: string): Part {
    const word = this.#word();
    const call = { tool_call_id: `c${this.#count % 2}`, tool_name: 't' };
    switch (type) {
      case 'reasoning':
        return { type: 'reasoning', text: word };
      case 'args':
        return { type: 'tool-call', ...call, args_delta: word };
      case 'output':
        return { type: 'tool-result', ...call, result_delta: word };
      case 'source':
        return { type: 'source', source_id: word, url: 'https://a.test' };
      default:
        return { type: 'text', text: word };
    }
  }

  #word(): string {
    this.#count += 1;
    return `w${this.#count} `;
  }
}

const roleOf = (type: string): Role => (type === 'output' ? 'tool' : 'assistant');

const bufferOf = (replica: Replica, chatId: string): PartBuffer | null =>
  (replica.streams.sink as PartBuffers).get(chatId);

const view = ({ messages, queued, status, live, liveText }: Seen) => ({
  messages: [...messages.values()],
  queued,
  status,
  live: live && {
    history_version: live.history_version,
    attempt: live.attempt,
    seq: live.seq,
    text: liveText,
  },
});

/** All messages. With a tail: at least the newest `tail`, and all after the first that was seen. */
function wanted(messages: readonly Message[], seen: Seen, tail: number | undefined) {
  if (tail === undefined) return messages;
  const [first = Number.POSITIVE_INFINITY] = seen.messages.keys();
  const least = new Set(messages.slice(Math.max(0, messages.length - tail)));
  return messages.filter((message) => message.id >= first || least.has(message));
}

function expectView(seen: Seen, expected: object): void {
  expect(view(seen), seen.log.join(', ')).toEqual(expected);
}

const retryOf = (attempt: number) => ({
  attempt,
  delay_ms: 1,
  retrying_at: new Date(0).toISOString(),
  kind: 'rate_limit' as const,
  retryable: true,
  provider: 'demo',
  error: 'slow down',
});
