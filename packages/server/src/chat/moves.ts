import { Refused, type RefusalCode } from './refused.ts';
import type { State } from './state.ts';

/** From each state, the states that may follow. With several, the queue or the content of the command decides. */
type Cells = Partial<Record<State, readonly State[]>>;

interface Move {
  readonly by: 'client' | 'runner';
  /** The code of a refusal in a state without a cell. Archived and deleted chats have other codes. */
  readonly refusal: RefusalCode;
  /** The command can leave a chat that should run without a runner, so workers must look at it. */
  readonly makesRunnable: boolean;
  readonly cells: Cells;
}

const byClient = (cells: Cells, refusal: RefusalCode = 'invalid_request'): Move => ({
  by: 'client',
  refusal,
  makesRunnable: false,
  cells,
});

const byRunner = (cells: Cells): Move => ({
  by: 'runner',
  refusal: 'not_runnable',
  makesRunnable: false,
  cells,
});

const runnable = (move: Move): Move => ({ ...move, makesRunnable: true });

/** From each of these to itself. */
const stay = (...states: State[]): Cells =>
  Object.fromEntries(states.map((state) => [state, [state]]));

const each = (states: readonly State[], to: State): Cells =>
  Object.fromEntries(states.map((state) => [state, [to]]));

const IDLE = ['waiting', 'error', 'error+queue'] as const;
const BUSY = ['running', 'running+queue', 'interrupting', 'interrupting+queue'] as const;
const UNARCHIVED = [...IDLE, ...BUSY, 'requires_action', 'requires_action+queue'] as const;
const ARCHIVED = ['archived', 'archived_error', 'archived_error+queue'] as const;
const QUEUED = [
  'running+queue',
  'interrupting+queue',
  'requires_action+queue',
  'error+queue',
] as const;
const AWAITING = {
  requires_action: ['running'],
  // Steering messages join the history with the results, so the queue may be empty afterwards.
  'requires_action+queue': ['running', 'running+queue'],
} satisfies Cells;
/** Tool results or an answer. The chat stays in `requires_action` while other calls are waiting. */
const ANSWERED = {
  requires_action: ['running', 'requires_action'],
  'requires_action+queue': ['running', 'running+queue', 'requires_action+queue'],
} satisfies Cells;

/** An approved call stays open until it has run, and no message joins the history before that. */
const DECIDED = {
  requires_action: ['running', 'requires_action'],
  'requires_action+queue': ['running+queue', 'requires_action+queue'],
} satisfies Cells;

/** Starts an idle chat and waits in the queue of a busy one. The head of a backlog goes first. */
const WAITS_WHILE_BUSY = {
  waiting: ['running'],
  error: ['running'],
  'error+queue': ['running+queue'],
  running: ['running+queue'],
  interrupting: ['interrupting+queue'],
  requires_action: ['requires_action+queue'],
  ...stay('running+queue', 'interrupting+queue', 'requires_action+queue'),
} satisfies Cells;

/** The legal moves. A command in a state without a cell is refused. */
export const MOVES = {
  // Messages.
  send_queue: runnable(byClient(WAITS_WHILE_BUSY)),
  send_steer: runnable(byClient(WAITS_WHILE_BUSY)),
  send_interrupt: runnable(
    byClient({
      waiting: ['running'],
      error: ['running'],
      'error+queue': ['running+queue'],
      running: ['interrupting+queue'],
      'running+queue': ['interrupting+queue'],
      interrupting: ['interrupting+queue'],
      requires_action: ['running'],
      'requires_action+queue': ['running', 'running+queue'],
      ...stay('interrupting+queue'),
    }),
  ),
  edit_message: runnable(byClient(each(UNARCHIVED, 'running'))),
  regenerate: runnable(
    byClient({
      ...each(['waiting', 'error', 'running', 'interrupting', 'requires_action'], 'running'),
      ...each(QUEUED, 'running+queue'),
    }),
  ),
  select_version: byClient(each(['waiting', 'error'], 'waiting'), 'chat_active'),

  // The queue.
  edit_queued: byClient(stay(...QUEUED), 'not_found'),
  delete_queued: byClient(
    {
      'running+queue': ['running', 'running+queue'],
      'interrupting+queue': ['interrupting', 'interrupting+queue'],
      'requires_action+queue': ['requires_action', 'requires_action+queue'],
      'error+queue': ['error', 'error+queue'],
    },
    'not_found',
  ),
  promote_queued: runnable(
    byClient(
      {
        'running+queue': ['interrupting+queue'],
        'interrupting+queue': ['interrupting+queue'],
        'requires_action+queue': ['running', 'running+queue'],
        'error+queue': ['running', 'running+queue'],
      },
      'not_found',
    ),
  ),

  // The turn, by clients.
  interrupt: runnable(
    byClient(
      {
        running: ['interrupting'],
        'running+queue': ['interrupting+queue'],
        ...stay('interrupting', 'interrupting+queue'),
        ...AWAITING,
      },
      'not_running',
    ),
  ),
  submit_tool_results: runnable(byClient(ANSWERED, 'not_waiting_for_tools')),
  answer_question: runnable(byClient(ANSWERED, 'not_waiting_for_you')),
  decide_approvals: runnable(byClient(DECIDED, 'not_waiting_for_you')),
  request_compaction: runnable(
    byClient(
      {
        waiting: ['running'],
        error: ['running'],
        'error+queue': ['running+queue'],
      },
      'chat_active',
    ),
  ),

  // The chat as a whole.
  update: byClient(stay(...UNARCHIVED, ...ARCHIVED)),
  archive: byClient(
    {
      waiting: ['archived'],
      error: ['archived_error'],
      'error+queue': ['archived_error+queue'],
      ...stay(...ARCHIVED),
    },
    'chat_active',
  ),
  unarchive: byClient({
    archived: ['waiting'],
    archived_error: ['error'],
    'archived_error+queue': ['error+queue'],
    ...stay(...UNARCHIVED),
  }),
  delete: byClient(each([...IDLE, ...ARCHIVED], 'deleted'), 'chat_active'),
  restore: byClient({ deleted: [...IDLE, ...ARCHIVED] }, 'not_found'),

  // Ownership. These never change the status.
  acquire: byRunner(stay(...BUSY)),
  release: runnable(byRunner(stay(...BUSY))),

  // The turn, by its runner.
  begin_attempt: byRunner(stay('running', 'running+queue')),
  begin_tools: byRunner(stay('running', 'running+queue')),
  record_retry: byRunner(stay('running', 'running+queue')),
  commit_step: byRunner({
    // The last step of a turn also ends it.
    running: ['running', 'waiting'],
    'running+queue': ['running', 'running+queue'],
  }),
  require_action: byRunner({
    running: ['requires_action'],
    'running+queue': ['requires_action+queue'],
  }),
  finish_turn: byRunner({
    running: ['waiting'],
    'running+queue': ['running', 'running+queue'],
  }),
  finish_interruption: byRunner({
    interrupting: ['waiting'],
    'interrupting+queue': ['running', 'running+queue'],
  }),
  fail: byRunner({
    running: ['error'],
    'running+queue': ['error+queue'],
    interrupting: ['error'],
    'interrupting+queue': ['error+queue'],
  }),
  expire_action: runnable(byRunner(ANSWERED)),
} as const satisfies Record<string, Move>;

export type CommandName = keyof typeof MOVES;

const DETAILS: Partial<Record<RefusalCode, string>> = {
  not_found: 'Not found.',
  chat_archived: 'The chat is archived. Unarchive it first.',
  chat_active: 'The chat is busy. Wait until it is idle, or interrupt it.',
  not_running: 'The chat is idle. There is no turn to interrupt.',
  not_waiting_for_tools: 'The chat is not waiting for tool results.',
  not_waiting_for_you: 'The chat is not waiting for an answer or an approval.',
  not_runnable: 'A runner cannot do this in the current state of the chat.',
};

function refusalCode(state: State, command: CommandName): RefusalCode {
  const { by, refusal } = MOVES[command];
  if (state === 'deleted') return 'not_found';
  if (by === 'client' && state.startsWith('archived') && command !== 'restore') {
    return 'chat_archived';
  }
  return refusal;
}

/** The states that may follow a command, or its refusal. */
export function movesFrom(state: State, command: CommandName): readonly State[] | Refused {
  const targets = MOVES[command].cells[state];
  if (targets !== undefined) return targets;
  const code = refusalCode(state, command);
  return new Refused(code, DETAILS[code] ?? `${command} is not possible in the state ${state}.`);
}
