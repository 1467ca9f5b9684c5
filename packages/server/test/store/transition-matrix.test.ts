import type { ActionKind } from '@chatd/protocol';
import { beforeEach, expect, test } from 'vitest';
import { type CommandName, MOVES } from '../../src/chat/moves.ts';
import { Refused } from '../../src/chat/refused.ts';
import { type State, stateOf, STATES } from '../../src/chat/state.ts';
import { execute } from '../support/database.ts';
import { dump } from '../support/dump.ts';
import { LEASE_MS, says, TestStore } from '../support/store.ts';
import { inState, type Situation } from './state-fixtures.ts';

/*
 * Every state × every command, against a real database. The expectations are written out, not computed: a cell
 * is the state that follows, `=` where nothing changes and no version is taken, or `!code` for a refusal.
 * A queue holds one plain message. wait: waiting, run: running, stop: interrupting, act: requires_action,
 * err: error, arch: archived; +q: with a queue.
 */
const COLUMNS =
  'wait run     run+q   stop    stop+q  act     act+q   err   err+q   arch   archE   archE+q deleted';

const EXPECTED: Record<CommandName, string> = {
  send_queue:
    'run  run+q   run+q   stop+q  stop+q  act+q   act+q   run   run+q   !arch  !arch   !arch   !gone',
  send_steer:
    'run  run+q   run+q   stop+q  stop+q  act+q   act+q   run   run+q   !arch  !arch   !arch   !gone',
  send_interrupt:
    'run  stop+q  stop+q  stop+q  stop+q  run     run+q   run   run+q   !arch  !arch   !arch   !gone',
  edit_message:
    'run  run     run     run     run     run     run     run   run     !arch  !arch   !arch   !gone',
  edit_queued:
    '!gone !gone  run+q   !gone   stop+q  !gone   act+q   !gone err+q   !arch  !arch   !arch   !gone',
  delete_queued:
    '!gone !gone  run     !gone   stop    !gone   act     !gone err     !arch  !arch   !arch   !gone',
  promote_queued:
    '!gone !gone  stop+q  !gone   stop+q  !gone   run     !gone run     !arch  !arch   !arch   !gone',
  interrupt:
    '!idle stop   stop+q  =       =       run     run+q   !idle !idle   !arch  !arch   !arch   !gone',
  submit_tool_results:
    '!not  !not   !not    !not    !not    run     run+q   !not  !not    !arch  !arch   !arch   !gone',
  decide_approvals:
    '!you  !you   !you    !you    !you    run     run+q   !you  !you    !arch  !arch   !arch   !gone',
  // Of two questions, one is answered.
  answer_question:
    '!you  !you   !you    !you    !you    act     act+q   !you  !you    !arch  !arch   !arch   !gone',
  request_compaction:
    'run  !busy   !busy   !busy   !busy   !busy   !busy   run   run+q   !arch  !arch   !arch   !gone',
  update:
    'wait run     run+q   stop    stop+q  act     act+q   err   err+q   arch   archE   archE+q !gone',
  archive:
    'arch !busy   !busy   !busy   !busy   !busy   !busy   archE archE+q =      =       =       !gone',
  unarchive:
    '=    =       =       =       =       =       =       =     =       wait   err     err+q   !gone',
  delete:
    'deleted !busy !busy  !busy   !busy   !busy   !busy   deleted deleted deleted deleted deleted !gone',
  restore:
    '!gone !gone  !gone   !gone   !gone   !gone   !gone   !gone !gone   !gone  !gone   !gone   wait',
  acquire:
    '!no  =       =       =       =       !no     !no     !no   !no     !no    !no     !no     !no',
  release:
    '!no  =       =       =       =       !no     !no     !no   !no     !no    !no     !no     !no',
  begin_attempt:
    '!no  run     run+q   !no     !no     !no     !no     !no   !no     !no    !no     !no     !gone',
  begin_tools:
    '!no  run     run+q   !no     !no     !no     !no     !no   !no     !no    !no     !no     !gone',
  record_retry:
    '!no  run     run+q   !no     !no     !no     !no     !no   !no     !no    !no     !no     !gone',
  commit_step:
    '!no  run     run+q   !no     !no     !no     !no     !no   !no     !no    !no     !no     !gone',
  require_action:
    '!no  act     act+q   !no     !no     !no     !no     !no   !no     !no    !no     !no     !gone',
  finish_turn:
    '!no  wait    run     !no     !no     !no     !no     !no   !no     !no    !no     !no     !gone',
  finish_interruption:
    '!no  !no     !no     wait    run     !no     !no     !no   !no     !no    !no     !no     !gone',
  fail: '!no  err     err+q   err     err+q   !no     !no     !no   !no     !no    !no     !no     !gone',
  expire_action:
    '!no  !no     !no     !no     !no     run     run+q   !no   !no     !no    !no     !no     !gone',
};

const CODES: Record<string, string> = {
  '!arch': 'chat_archived',
  '!gone': 'not_found',
  '!idle': 'not_running',
  '!not': 'not_waiting_for_tools',
  '!you': 'not_waiting_for_you',
  '!busy': 'chat_active',
  '!no': 'not_runnable',
};

const words = (line: string) => line.trim().split(/\s+/);
const SHORT = Object.fromEntries(words(COLUMNS).map((short, index) => [short, STATES[index]]));
const store = await TestStore.open();

// Dumps stay small when each test starts without chats.
beforeEach(() => execute(store.url, 'TRUNCATE chats CASCADE'));

/** What each command does here. Commands of the runner use the fence that was good last. */
const PERFORM: Record<CommandName, (at: Situation) => Promise<unknown>> = {
  send_queue: ({ chatId }) => store.client.send(chatId, store.message('new', 'queue')),
  send_steer: ({ chatId }) => store.client.send(chatId, store.message('new', 'steer')),
  send_interrupt: ({ chatId }) => store.client.send(chatId, store.message('new', 'interrupt')),
  edit_message: ({ chatId, firstMessageId }) =>
    store.client.editMessage(chatId, firstMessageId, {
      content: [{ type: 'text', text: 'edited' }],
      model_config_id: null,
      reasoning_effort: null,
      created_by: store.owner,
    }),
  edit_queued: ({ chatId, queuedId }) =>
    store.client.editQueued(chatId, {
      id: queuedId,
      content: [{ type: 'text', text: 'edited' }],
      position: null,
      busy_behavior: null,
    }),
  delete_queued: ({ chatId, queuedId }) => store.client.deleteQueued(chatId, queuedId),
  promote_queued: ({ chatId, queuedId }) => store.client.promoteQueued(chatId, queuedId),
  interrupt: ({ chatId }) => store.client.interrupt(chatId),
  submit_tool_results: ({ chatId }) =>
    store.client.submitToolResults(chatId, [
      { tool_call_id: 'c1', output: 3 },
      { tool_call_id: 'c2', output: 3 },
    ]),
  decide_approvals: ({ chatId }) =>
    store.people.decide({ id: chatId, owner_id: store.owner }, [
      { tool_call_id: 'c1', decision: 'allow' },
      { tool_call_id: 'c2', decision: 'deny' },
    ]),
  answer_question: ({ chatId }) => store.people.answer(chatId, 'c1', 'Yes'),
  request_compaction: ({ chatId }) => store.client.requestCompaction(chatId),
  update: ({ chatId }) => store.client.update(chatId, { title: 'Another title' }),
  archive: ({ chatId }) => store.client.setArchived(chatId, true),
  unarchive: ({ chatId }) => store.client.setArchived(chatId, false),
  delete: ({ chatId }) => store.client.delete(chatId),
  restore: ({ chatId }) => store.client.restore(chatId),
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
    // A call must be open first; where it cannot be, neither can the chat wait for it.
    const open = await openCall({ chatId, fence });
    await store.runner.requireAction(chatId, open, { call: 'dynamic' }, 0);
  },
  finish_turn: ({ chatId, fence }) => store.runner.finishTurn(chatId, fence),
  finish_interruption: ({ chatId, fence }) =>
    store.runner.finishInterruption(chatId, fence, { messages: [says('part')], attempt: 0 }),
  fail: ({ chatId, fence }) =>
    store.runner.fail(chatId, fence, { kind: 'auth', message: 'No key.', retryable: false }),
  expire_action: ({ chatId }) => store.runner.expireAction(chatId),
};

async function openCall({ chatId, fence }: Pick<Situation, 'chatId' | 'fence'>) {
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

/** Commands that take more than one version here, because they have to prepare. */
const VERSIONS: Partial<Record<CommandName, number>> = { require_action: 2 };

/** Who is asked, where it is not a client's program. */
const ASKED: Partial<Record<CommandName, ActionKind>> = {
  decide_approvals: 'approval',
  answer_question: 'question',
};

test('the table has a row for every command and a column for every state', () => {
  expect(Object.keys(EXPECTED).sort()).toEqual(Object.keys(MOVES).sort());
  for (const line of Object.values(EXPECTED)) expect(words(line)).toHaveLength(STATES.length);
});

for (const command of Object.keys(EXPECTED) as CommandName[]) {
  test(`${command}, from every state`, async () => {
    const cells = words(EXPECTED[command]);
    for (const [index, state] of STATES.entries()) {
      await walk(command, state, cells[index] ?? '');
    }
  });
}

async function walk(command: CommandName, state: State, cell: string): Promise<void> {
  const where = `${command} from ${state}`;
  const situation = await inState(store, state, ASKED[command]);
  const before = await store.read(situation.chatId);
  expect(stateOf(before), where).toBe(state);
  const code = CODES[cell];
  if (code !== undefined) {
    const database = await dump(store.url);
    await expect(PERFORM[command](situation), where).rejects.toMatchObject({ code });
    expect((await dump(store.url)) === database, `${where} leaves nothing behind`).toBe(true);
    return;
  }
  await PERFORM[command](situation);
  const next = await store.read(situation.chatId);
  expect(stateOf(next), where).toBe(cell === '=' ? state : SHORT[cell]);
  expect(next.snapshot_version - before.snapshot_version, `${where}: versions`).toBe(
    cell === '=' ? 0 : (VERSIONS[command] ?? 1),
  );
  expect(await store.queue(situation.chatId), where).toHaveLength(next.queue_length);
  await expectAnsweredCalls(situation.chatId, where);
}

/** Wherever a message of the user stands, every call before it has exactly one result. */
async function expectAnsweredCalls(chatId: string, where: string): Promise<void> {
  const open = new Set<string>();
  for (const message of await store.history(chatId)) {
    if (message.role === 'user') expect([...open], where).toEqual([]);
    for (const part of message.content) {
      if (part.type === 'tool-call') open.add(part.tool_call_id);
      if (part.type === 'tool-result') expect(open.delete(part.tool_call_id), where).toBe(true);
    }
  }
}

test('the database itself refuses the states that the table does not have', async () => {
  const { chatId } = await inState(store, 'waiting');
  for (const [set, constraint] of [
    [`queue_length = 1`, 'waiting_has_no_queue'],
    [`open_calls = '[{}]'`, 'waiting_has_no_open_calls'],
    [`status = 'requires_action'`, 'action_has_open_calls'],
    [`status = 'running', archived = true`, 'archived_is_idle'],
    [`status = 'running', deleted_at = now()`, 'deleted_is_idle'],
    [`runner_id = id, worker_id = id`, 'only_busy_has_a_runner'],
    [`status = 'running', runner_id = id`, 'runner_has_a_worker'],
  ]) {
    await expect(
      execute(store.url, `UPDATE chats SET ${set} WHERE id = '${chatId}'`),
      constraint,
    ).rejects.toMatchObject({ constraint });
  }
});
