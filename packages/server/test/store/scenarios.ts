import { randomUUID } from 'node:crypto';
import { type CommandName, MOVES } from '../../src/chat/moves.ts';
import type { State } from '../../src/chat/state.ts';
import { findChat } from '../../src/store/queries/chats/find.ts';
import { onlyRow } from '../../src/store/statement.ts';
import type { Transaction } from '../../src/store/transaction.ts';
import { uuidv7 } from '../../src/store/uuid.ts';
import {
  calls,
  DEMO_MODEL,
  NEW_CHAT,
  LEASE_MS,
  says,
  type TestStore,
} from '@chatd/test-server/database';
import { commandsOf, openCall, situationOf } from './commands.ts';
import { inState, type Situation } from './state-fixtures.ts';

/** Performs one command. Client requests use the transaction, if given. */
export type PerformOn = (store: TestStore, tx?: Transaction) => Promise<unknown>;

/** One command in one situation. */
export interface Scenario {
  readonly name: string;
  /** A client request, which can be retried with an idempotency key. */
  readonly keyed: boolean;
  prepare(store: TestStore): Promise<PerformOn>;
}

const RUNNER: ReadonlySet<CommandName> = new Set<CommandName>([
  'acquire',
  'release',
  'begin_attempt',
  'begin_tools',
  'record_retry',
  'commit_step',
  'require_action',
  'finish_turn',
  'finish_interruption',
  'fail',
  'expire_action',
]);

const moveFrom = (command: CommandName, state: State): Scenario => ({
  name: `${command} from ${state}`,
  keyed: !RUNNER.has(command),
  prepare: async (store) => performer(store, command, await situationOf(store, command, state)),
});

/** Fulfills the prerequisites of the command, so that a scenario is a single command. */
async function performer(
  store: TestStore,
  command: CommandName,
  at: Situation,
): Promise<PerformOn> {
  const { chatId } = at;
  if (command === 'acquire') {
    await store.runner.release(chatId, at.fence.runner_id);
    return ({ runner, worker }) => runner.acquireNamed(worker, [chatId], LEASE_MS);
  }
  if (command === 'require_action') {
    const fence = await openCall(store, at);
    return ({ runner }) => runner.requireAction(chatId, fence, { call: 'dynamic' }, 0);
  }
  if (command === 'begin_tools') {
    const fence = await openCall(store, at);
    return ({ runner }) => runner.beginTools(chatId, fence, ['call']);
  }
  return (other, tx) => commandsOf(other)[command](at, tx);
}

const COMMANDS = Object.keys(MOVES) as CommandName[];
const statesOf = (command: CommandName): State[] => Object.keys(MOVES[command].cells) as State[];

/** Every command from every state that allows it. */
export const everyMove: readonly Scenario[] = COMMANDS.flatMap((command) =>
  statesOf(command).map((state) => moveFrom(command, state)),
);

/** Every command once, from a state with a queue if there is one, where it writes the most. */
export const oneMoveEach: readonly Scenario[] = COMMANDS.map((command) => {
  const states = statesOf(command);
  const state = states.find((one) => one.endsWith('+queue')) ?? states[0];
  if (state === undefined) throw new Error(`${command} is never allowed`);
  return moveFrom(command, state);
});

const agent = (call: string) => ({
  call,
  type: 'general' as const,
  prompt: 'Do it',
  model_config_id: null,
  reasoning_effort: null,
});

const newChat = ({ owner }: TestStore, id: string) => ({ ...NEW_CHAT, id, owner_id: owner });

const within = <T>(
  store: TestStore,
  tx: Transaction | undefined,
  work: (tx: Transaction) => Promise<T>,
) => (tx === undefined ? store.database.transaction(work) : work(tx));

/** A running chat with two subagents, one of them running. */
async function family(
  store: TestStore,
): Promise<{ readonly root: Situation; readonly agentId: string }> {
  const root = await inState(store, 'running');
  const { id: agentId } = await store.agents.spawn(root.chatId, agent(randomUUID()), 5);
  const { id: doneId } = await store.agents.spawn(root.chatId, agent(randomUUID()), 5);
  await store.take(agentId);
  await store.runner.finishTurn(doneId, await store.take(doneId));
  return { root, agentId };
}

/** Commands besides the moves, and moves with more to write than the plain case. */
export const otherCommands: readonly Scenario[] = [
  {
    name: 'create a chat',
    keyed: true,
    async prepare() {
      const id = uuidv7();
      return (store, tx) => store.creation.createRequested(newChat(store, id), tx);
    },
  },
  {
    name: 'fork a chat with an open call',
    keyed: true,
    async prepare(store) {
      const { chatId } = await inState(store, 'requires_action');
      const last = (await store.history(chatId)).at(-1)?.id ?? 0;
      const id = uuidv7();
      return (other, tx) =>
        within(other, tx, async (within) => {
          const original = onlyRow(await within.query(findChat, { id: chatId }));
          return await other.creation.fork(original, last, { id, owner_id: other.owner }, within);
        });
    },
  },
  {
    name: 'spawn a subagent',
    keyed: false,
    async prepare(store) {
      const { chatId } = await inState(store, 'running');
      const call = randomUUID();
      return ({ agents }) => agents.spawn(chatId, agent(call), 5);
    },
  },
  {
    name: 'message a subagent',
    keyed: false,
    async prepare(store) {
      const { agentId } = await family(store);
      const call = randomUUID();
      return (other) => other.agents.message(agentId, call, other.message('More'));
    },
  },
  {
    name: 'interrupt a chat and its subagents',
    keyed: true,
    async prepare(store) {
      const { root } = await family(store);
      return ({ client }, tx) => client.interrupt(root.chatId, tx);
    },
  },
  {
    name: 'delete a chat and its subagents',
    keyed: true,
    async prepare(store) {
      const { root, agentId } = await family(store);
      for (const id of [agentId, root.chatId]) {
        const fence = await store.take(id);
        await store.runner.fail(id, fence, { kind: 'generic', message: 'No.', retryable: false });
      }
      return ({ client }, tx) => client.delete(root.chatId, tx);
    },
  },
  {
    name: 'decide on a call and remember it',
    keyed: true,
    async prepare(store) {
      const { chatId } = await inState(store, 'requires_action', 'approval');
      return (other, tx) =>
        other.approvals.decide(
          { id: chatId, owner_id: store.owner },
          [{ tool_call_id: 'c1', decision: 'allow', remember: 'always' }],
          tx,
        );
    },
  },
  {
    name: 'mark a chat as read',
    keyed: true,
    async prepare(store) {
      const { chatId } = await inState(store, 'waiting');
      const last = (await store.history(chatId)).at(-1)?.id ?? 0;
      return ({ client }, tx) => client.markRead(chatId, last, tx);
    },
  },
  {
    name: 'take up a chat',
    keyed: false,
    async prepare(store) {
      const { chatId, fence } = await inState(store, 'running');
      await store.runner.release(chatId, fence.runner_id);
      return ({ runner, worker }) => runner.takeUp(worker, [chatId], LEASE_MS);
    },
  },
  {
    name: 'acquire a chat within the limits',
    keyed: false,
    async prepare(store) {
      const { chatId, fence } = await inState(store, 'running');
      await store.runner.release(chatId, fence.runner_id);
      return ({ runner, worker }) =>
        runner.acquireWithin(worker, LEASE_MS, (runnable) => [...runnable]);
    },
  },
  {
    name: 'make a chat wait for capacity',
    keyed: false,
    async prepare(store) {
      const { chatId, fence } = await inState(store, 'running');
      await store.runner.release(chatId, fence.runner_id);
      return ({ runner }) => runner.waitForCapacity(chatId);
    },
  },
  {
    name: 'release all chats of a worker',
    keyed: false,
    async prepare(store) {
      await inState(store, 'running');
      return ({ runner }) => runner.releaseWorker(store.worker);
    },
  },
  ...([undefined, 'begin_attempt', 'finish_turn'] as const).map((next) => ({
    name: `commit a step that leads to ${next ?? 'nothing'}`,
    keyed: false,
    async prepare(store: TestStore): Promise<PerformOn> {
      const { chatId, fence } = await inState(store, 'running');
      const messages = [next === 'begin_attempt' ? calls('c1') : says('done')];
      const call = {
        kind: 'turn' as const,
        model_config_id: DEMO_MODEL,
        usage: { input_tokens: 5 },
        cost_micros: 7,
        runtime_ms: 1,
      };
      return ({ runner }) =>
        runner.commitStep(chatId, fence, { messages, attempt: 0, call, ...(next && { next }) });
    },
  })),
];
