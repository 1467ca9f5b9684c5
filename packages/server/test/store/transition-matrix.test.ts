import { beforeEach, expect, test } from 'vitest';
import { type CommandName, MOVES } from '../../src/chat/moves.ts';
import { type State, stateOf, STATES } from '../../src/chat/state.ts';
import { dump, execute, TestStore } from '@chatd/test-server/database';
import { commandsOf, situationOf } from './commands.ts';
import { inState } from './state-fixtures.ts';

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
  regenerate:
    'run  run     run+q   run     run+q   run     run+q   run   run+q   !arch  !arch   !arch   !gone',
  select_version:
    'wait !busy   !busy   !busy   !busy   !busy   !busy   wait  !busy   !arch  !arch   !arch   !gone',
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
const perform = commandsOf(store);

// Dumps stay small when each test starts without chats.
beforeEach(() => execute(store.url, 'TRUNCATE chats CASCADE'));

/** Commands that take more than one version here, because of their preparation. */
const VERSIONS: Partial<Record<CommandName, number>> = { require_action: 2 };

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
  const situation = await situationOf(store, command, state);
  const before = await store.read(situation.chatId);
  expect(stateOf(before), where).toBe(state);
  const code = CODES[cell];
  if (code !== undefined) {
    const database = await dump(store.url);
    await expect(perform[command](situation), where).rejects.toMatchObject({ code });
    expect((await dump(store.url)) === database, `${where} leaves nothing behind`).toBe(true);
    return;
  }
  await perform[command](situation);
  const next = await store.read(situation.chatId);
  expect(stateOf(next), where).toBe(cell === '=' ? state : SHORT[cell]);
  expect(next.snapshot_version - before.snapshot_version, `${where}: versions`).toBe(
    cell === '=' ? 0 : (VERSIONS[command] ?? 1),
  );
  expect(await store.queue(situation.chatId), where).toHaveLength(next.queue_length);
  await expectAnsweredCalls(situation.chatId, where);
}

/** Every call before a user message has exactly one result. */
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

test('constraints of the database refuse states that are not in the table', async () => {
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
