import type { ActionKind } from '@chatd/protocol';
import type { Fence } from '../../src/chat/fence.ts';
import type { CommandName } from '../../src/chat/moves.ts';
import { Refused } from '../../src/chat/refused.ts';
import type { Transaction } from '../../src/store/transaction.ts';
import { LEASE_MS, says, type TestStore } from '@chatd/test-server/database';
import type { State } from '../../src/chat/state.ts';
import { inState, type Situation } from './state-fixtures.ts';

/** Performs a command on a chat. Client commands use the transaction, if given. */
export type Perform = (at: Situation, tx?: Transaction) => Promise<unknown>;

/** A chat in a state, with the targets of the command. */
export const situationOf = (
  store: TestStore,
  command: CommandName,
  state: State,
): Promise<Situation> =>
  inState(store, state, ASKED[command], command === 'select_version' ? 2 : 1);

/** The kind of open calls that a command needs. Default: `dynamic`. */
const ASKED: Partial<Record<CommandName, ActionKind>> = {
  decide_approvals: 'approval',
  answer_question: 'question',
};

/** What each command does in tests. Runner commands use the last valid fence. */
export const commandsOf = (store: TestStore): Record<CommandName, Perform> => ({
  send_queue: ({ chatId }, tx) => store.client.send(chatId, store.message('new', 'queue'), tx),
  send_steer: ({ chatId }, tx) => store.client.send(chatId, store.message('new', 'steer'), tx),
  send_interrupt: ({ chatId }, tx) =>
    store.client.send(chatId, store.message('new', 'interrupt'), tx),
  edit_message: ({ chatId, firstMessageId }, tx) =>
    store.client.editMessage(
      chatId,
      firstMessageId,
      {
        content: [{ type: 'text', text: 'edited' }],
        model_config_id: null,
        reasoning_effort: null,
        created_by: store.owner,
      },
      tx,
    ),
  regenerate: ({ chatId, firstMessageId }, tx) =>
    store.client.regenerate(
      chatId,
      firstMessageId,
      { model_config_id: null, reasoning_effort: null },
      tx,
    ),
  select_version: ({ chatId, versionId }, tx) => store.client.selectVersion(chatId, versionId, tx),
  edit_queued: ({ chatId, queuedId }, tx) =>
    store.client.editQueued(
      chatId,
      {
        id: queuedId,
        content: [{ type: 'text', text: 'edited' }],
        position: null,
        busy_behavior: null,
      },
      tx,
    ),
  delete_queued: ({ chatId, queuedId }, tx) => store.client.deleteQueued(chatId, queuedId, tx),
  promote_queued: ({ chatId, queuedId }, tx) => store.client.promoteQueued(chatId, queuedId, tx),
  interrupt: ({ chatId }, tx) => store.client.interrupt(chatId, tx),
  submit_tool_results: ({ chatId }, tx) =>
    store.client.submitToolResults(
      chatId,
      [
        { tool_call_id: 'c1', output: 3 },
        { tool_call_id: 'c2', output: 3 },
      ],
      tx,
    ),
  decide_approvals: ({ chatId }, tx) =>
    store.approvals.decide(
      { id: chatId, owner_id: store.owner },
      [
        { tool_call_id: 'c1', decision: 'allow' },
        { tool_call_id: 'c2', decision: 'deny' },
      ],
      tx,
    ),
  answer_question: ({ chatId }, tx) => store.approvals.answer(chatId, 'c1', 'Yes', tx),
  request_compaction: ({ chatId }, tx) => store.client.requestCompaction(chatId, tx),
  update: ({ chatId }, tx) => store.client.update(chatId, { title: 'Another title' }, tx),
  archive: ({ chatId }, tx) => store.client.setArchived(chatId, true, tx),
  unarchive: ({ chatId }, tx) => store.client.setArchived(chatId, false, tx),
  delete: ({ chatId }, tx) => store.client.delete(chatId, tx),
  restore: ({ chatId }, tx) => store.client.restore(chatId, tx),
  acquire: async ({ chatId, fence }) => {
    await store.runner.release(chatId, fence.runner_id);
    const acquired = await store.runner.acquire(store.worker, 1000, LEASE_MS);
    for (const { id, runner_id } of acquired) {
      if (id !== chatId) await store.runner.release(id, runner_id ?? '');
    }
    if (!acquired.some(({ id }) => id === chatId)) throw new Refused('not_runnable', '');
  },
  release: async ({ chatId, fence }) => {
    if (!(await store.runner.release(chatId, fence.runner_id))) {
      throw new Refused('not_runnable', '');
    }
  },
  begin_attempt: ({ chatId, fence }) => store.runner.beginAttempt(chatId, fence, 1),
  begin_tools: async ({ chatId, fence }) => {
    const { open_calls } = await store.read(chatId);
    return store.runner.beginTools(
      chatId,
      fence,
      open_calls.map(({ tool_call_id }) => tool_call_id),
    );
  },
  record_retry: ({ chatId, fence }) =>
    store.runner.recordRetry(chatId, fence, {
      attempt: 1,
      delay_ms: 1000,
      retrying_at: new Date().toISOString(),
      kind: 'overloaded',
      retryable: true,
      provider: 'demo',
      error: 'The provider is overloaded.',
    }),
  commit_step: ({ chatId, fence }) =>
    store.runner.commitStep(chatId, fence, { messages: [says('step')], attempt: 0 }),
  require_action: async ({ chatId, fence }) => {
    // Requires an open call. In states that do not allow one, the command itself is refused.
    const open = await openCall(store, { chatId, fence });
    await store.runner.requireAction(chatId, open, { call: 'dynamic' }, 0);
  },
  finish_turn: ({ chatId, fence }) => store.runner.finishTurn(chatId, fence),
  finish_interruption: ({ chatId, fence }) =>
    store.runner.finishInterruption(chatId, fence, { messages: [says('part')], attempt: 0 }),
  fail: ({ chatId, fence }) =>
    store.runner.fail(chatId, fence, { kind: 'auth', message: 'No key.', retryable: false }),
  expire_action: ({ chatId }) => store.runner.expireAction(chatId),
});

/** Opens the call `call` of a running chat. */
export async function openCall(
  store: TestStore,
  { chatId, fence }: Pick<Situation, 'chatId' | 'fence'>,
): Promise<Fence> {
  const { status } = await store.read(chatId);
  if (status !== 'running') return fence;
  const { history_version } = await store.runner.commitStep(chatId, fence, {
    messages: [
      {
        role: 'assistant',
        content: [{ type: 'tool-call', tool_call_id: 'call', tool_name: 'ask', args: {} }],
      },
    ],
    attempt: 0,
  });
  return { ...fence, history_version };
}
