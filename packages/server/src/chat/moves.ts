import { Refused, type RefusalCode } from './refused.ts';
import type { State } from './state.ts';

/**
 * The legal moves: for each command, from which state to which. Where several are listed, the queue or the
 * command's own content decides. A cell that is missing is a refusal, see `refusalCode`.
 */
type Row = Partial<Record<State, readonly State[]>>;

/** From each of these to itself. */
const stay = (...states: State[]): Row =>
  Object.fromEntries(states.map((state) => [state, [state]]));

const each = (states: readonly State[], to: State): Row =>
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
  // Messages that steer join the history with the results, so the queue may be empty after.
  'requires_action+queue': ['running', 'running+queue'],
} satisfies Row;
/** A client's program or a person has answered; it goes on waiting where somebody else is asked too. */
const ANSWERED = {
  requires_action: ['running', 'requires_action'],
  'requires_action+queue': ['running', 'running+queue', 'requires_action+queue'],
} satisfies Row;

/** What was decided on stays open until it has run, and nothing joins the history before. */
const DECIDED = {
  requires_action: ['running', 'requires_action'],
  'requires_action+queue': ['running+queue', 'requires_action+queue'],
} satisfies Row;

/** Starts an idle chat, and waits in the queue of a busy one. Of a backlog, the head goes first. */
const WAITS_WHILE_BUSY = {
  waiting: ['running'],
  error: ['running'],
  'error+queue': ['running+queue'],
  running: ['running+queue'],
  interrupting: ['interrupting+queue'],
  requires_action: ['requires_action+queue'],
  ...stay('running+queue', 'interrupting+queue', 'requires_action+queue'),
} satisfies Row;

export const MOVES = {
  // Messages of a client.
  send_queue: WAITS_WHILE_BUSY,
  send_steer: WAITS_WHILE_BUSY,
  send_interrupt: {
    waiting: ['running'],
    error: ['running'],
    'error+queue': ['running+queue'],
    running: ['interrupting+queue'],
    'running+queue': ['interrupting+queue'],
    interrupting: ['interrupting+queue'],
    requires_action: ['running'],
    'requires_action+queue': ['running', 'running+queue'],
    ...stay('interrupting+queue'),
  },
  edit_message: each(UNARCHIVED, 'running'),

  // The queue.
  edit_queued: stay(...QUEUED),
  delete_queued: {
    'running+queue': ['running', 'running+queue'],
    'interrupting+queue': ['interrupting', 'interrupting+queue'],
    'requires_action+queue': ['requires_action', 'requires_action+queue'],
    'error+queue': ['error', 'error+queue'],
  },
  promote_queued: {
    'running+queue': ['interrupting+queue'],
    'interrupting+queue': ['interrupting+queue'],
    'requires_action+queue': ['running', 'running+queue'],
    'error+queue': ['running', 'running+queue'],
  },

  // The turn, from outside.
  interrupt: {
    running: ['interrupting'],
    'running+queue': ['interrupting+queue'],
    ...stay('interrupting', 'interrupting+queue'),
    ...AWAITING,
  },
  submit_tool_results: ANSWERED,
  answer_question: ANSWERED,
  decide_approvals: DECIDED,
  request_compaction: {
    waiting: ['running'],
    error: ['running'],
    'error+queue': ['running+queue'],
  },

  // The chat as a whole.
  update: stay(...UNARCHIVED, ...ARCHIVED),
  archive: {
    waiting: ['archived'],
    error: ['archived_error'],
    'error+queue': ['archived_error+queue'],
    ...stay(...ARCHIVED),
  },
  unarchive: {
    archived: ['waiting'],
    archived_error: ['error'],
    'archived_error+queue': ['error+queue'],
    ...stay(...UNARCHIVED),
  },
  delete: each([...IDLE, ...ARCHIVED], 'deleted'),
  restore: { deleted: [...IDLE, ...ARCHIVED] },

  // Ownership: never the status.
  acquire: stay(...BUSY),
  release: stay(...BUSY),

  // The turn, from inside: only its runner.
  begin_attempt: stay('running', 'running+queue'),
  begin_tools: stay('running', 'running+queue'),
  record_retry: stay('running', 'running+queue'),
  commit_step: {
    running: ['running'],
    'running+queue': ['running', 'running+queue'],
  },
  require_action: {
    running: ['requires_action'],
    'running+queue': ['requires_action+queue'],
  },
  finish_turn: {
    running: ['waiting'],
    'running+queue': ['running', 'running+queue'],
  },
  finish_interruption: {
    interrupting: ['waiting'],
    'interrupting+queue': ['running', 'running+queue'],
  },
  fail: {
    running: ['error'],
    'running+queue': ['error+queue'],
    interrupting: ['error'],
    'interrupting+queue': ['error+queue'],
  },
  expire_action: ANSWERED,
} as const satisfies Record<string, Row>;

export type CommandName = keyof typeof MOVES;

/** What a command is refused with in a state that the table does not list. Archived and deleted come first. */
const REFUSALS: Partial<Record<CommandName, RefusalCode>> = {
  edit_queued: 'not_found',
  delete_queued: 'not_found',
  promote_queued: 'not_found',
  interrupt: 'not_running',
  submit_tool_results: 'not_waiting_for_tools',
  answer_question: 'not_waiting_for_you',
  decide_approvals: 'not_waiting_for_you',
  request_compaction: 'chat_active',
  archive: 'chat_active',
  delete: 'chat_active',
  restore: 'not_found',
};

const DETAILS: Partial<Record<RefusalCode, string>> = {
  not_found: 'There is nothing here by that id.',
  chat_archived: 'The chat is archived: unarchive it first.',
  chat_active: 'The chat is busy: wait until it is idle, or interrupt it first.',
  not_running: 'The chat is idle: there is nothing to interrupt.',
  not_waiting_for_tools: 'The chat does not wait for results of dynamic tools.',
  not_waiting_for_you: 'The chat does not wait for anybody.',
  not_runnable: 'The chat is in no state in which a runner may do this.',
};

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

function refusalCode(state: State, command: CommandName): RefusalCode {
  if (state === 'deleted') return 'not_found';
  if (RUNNER.has(command)) return 'not_runnable';
  if (state.startsWith('archived') && command !== 'restore') return 'chat_archived';
  return REFUSALS[command] ?? 'invalid_request';
}

/** The states a command may lead to, or the refusal. */
export function movesFrom(state: State, command: CommandName): readonly State[] | Refused {
  const row: Row = MOVES[command];
  const targets = row[state];
  if (targets !== undefined) return targets;
  const code = refusalCode(state, command);
  return new Refused(code, DETAILS[code] ?? `${command} is not possible while ${state}.`);
}
