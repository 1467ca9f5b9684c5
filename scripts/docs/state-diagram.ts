import { MOVES, movesFrom } from '../../packages/server/src/chat/moves.ts';
import { Refused } from '../../packages/server/src/chat/refused.ts';
import { STATES, type State } from '../../packages/server/src/chat/state.ts';

type Command = keyof typeof MOVES;
const COMMANDS = Object.keys(MOVES) as Command[];

/** Short labels for commands. */
const WORDS: Partial<Record<Command, string>> = {
  send_queue: 'send',
  send_steer: 'send',
  send_interrupt: 'send',
  submit_tool_results: 'tool results',
  answer_question: 'answer',
  decide_approvals: 'decide',
  request_compaction: 'compact',
  promote_queued: 'promote',
  edit_message: 'edit',
};

/** The node of a state in the diagram, which does not show the queue. */
const placeOf = (state: State): string =>
  state.startsWith('archived') ? 'archived' : state.replace('+queue', '');

/** A Mermaid diagram of the chat states from the move table, without moves that keep the state. */
export function stateDiagram(): string {
  const ways = new Map<string, Set<string>>();
  for (const [command, from, to] of moves()) {
    const way = `${placeOf(from)} --> ${placeOf(to)}`;
    if (placeOf(from) === placeOf(to)) continue;
    const words = ways.get(way) ?? new Set();
    ways.set(way, words.add(wordsFor(command, from, to)));
  }
  const lines = Array.from(ways, ([way, words]) => `    ${way}: ${[...words].join(', ')}`);
  return [
    '```mermaid',
    'stateDiagram-v2',
    '    [*] --> running: create',
    '    [*] --> waiting: fork',
    ...lines,
    '    deleted --> [*]: after 24 hours',
    '```',
  ].join('\n');
}

/** Labels `send_interrupt` separately only where it differs from `send_queue`. */
function wordsFor(command: Command, from: State, to: State): string {
  const { cells } = MOVES.send_queue;
  if (
    command === 'send_interrupt' &&
    cells[from]?.some((state) => placeOf(state) === placeOf(to)) !== true
  ) {
    return 'send (interrupt)';
  }
  return WORDS[command] ?? command.replaceAll('_', ' ');
}

function moves(): (readonly [Command, State, State])[] {
  return COMMANDS.flatMap((command) => {
    const { cells } = MOVES[command];
    return STATES.flatMap((from) => (cells[from] ?? []).map((to) => [command, from, to] as const));
  });
}

/** A Markdown table of client commands and their effect in each state. */
export function moveTable(): string {
  const places = ['waiting', 'running', 'interrupting', 'requires_action', 'error', 'archived'];
  const rows = COMMANDS.filter((command) => BY_CLIENTS.has(command)).map((command) => {
    const cells = places.map((place) => cell(command, place));
    return `| \`${command}\` | ${cells.join(' | ')} |`;
  });
  return [
    `| | ${places.map((place) => `\`${place}\``).join(' | ')} |`,
    `| --- |${' --- |'.repeat(places.length)}`,
    ...rows,
  ].join('\n');
}

const BY_CLIENTS: ReadonlySet<Command> = new Set<Command>([
  'send_queue',
  'send_steer',
  'send_interrupt',
  'edit_message',
  'regenerate',
  'select_version',
  'promote_queued',
  'interrupt',
  'submit_tool_results',
  'answer_question',
  'decide_approvals',
  'request_compaction',
  'archive',
  'unarchive',
  'delete',
]);

function cell(command: Command, place: string): string {
  const all = moves().filter(([name, from]) => name === command && placeOf(from) === place);
  if (all.length === 0) return `\`${refusal(command, place)}\``;
  const targets = new Set(all.map(([, , to]) => placeOf(to)));
  if (targets.size > 1) return [...targets].toSorted().join(' or ');
  const [target = ''] = targets;
  if (target !== place) return target;
  // A message that keeps the state is queued.
  return command.startsWith('send') ? 'queued' : 'stays';
}

function refusal(command: Command, place: string): string {
  const found = STATES.filter((state) => placeOf(state) === place).map((state) =>
    movesFrom(state, command),
  );
  const [code = ''] = new Set(
    found.flatMap((each) => (each instanceof Refused ? [each.code] : [])),
  );
  return code;
}

const DIAGRAM = /```mermaid\nstateDiagram-v2[^]*?```/;
const TABLE = /\| \| `waiting`.*(?:\n\|.*)*/;

/** The page with an up-to-date diagram and table. */
export function withStates(page: string): string {
  for (const pattern of [DIAGRAM, TABLE]) {
    if (!pattern.test(page)) throw new Error(`The page has no match for ${pattern}.`);
  }
  return page.replace(DIAGRAM, () => stateDiagram()).replace(TABLE, () => moveTable());
}
