import type { HistoryMessage, Tool } from '@chatd/loop';
import type { ChatRow } from '../chat/row.ts';
import { DatabaseUnavailable } from '../store/unavailable.ts';
import { NO_IDLE_TRACKING, type Run } from './idle-tracking.ts';

/** What the agent of a chat is given for one turn. */
export interface Equipment {
  readonly tools: readonly Tool[];
  /** What goes before the conversation, behind the system prompt: context files, what there is to know of the tools. */
  readonly system?: readonly string[];
  /**
   * Names of tools that can be called and are not offered to the model, yet. Told from the history, so that whoever
   * goes on with the turn comes to the same.
   */
  readonly withheld?: (messages: readonly HistoryMessage[]) => ReadonlySet<string>;
  /** Whether the tools are others now. Asked between the steps of the turn; then all boxes are opened again. */
  readonly changed?: () => Promise<boolean>;
  /** Names of tools that change nothing: those that plan mode and agents that explore have. */
  readonly readOnly?: readonly string[];
}

/** A source of tools: workspaces, MCP servers, subagents. It is asked anew for each turn. */
export interface Toolbox {
  open(chat: ChatRow, run: Run): Promise<Equipment>;
}

/** Tools that are there for every chat. */
export const fixedToolbox = (tools: readonly Tool[]): Toolbox => ({
  open: () => Promise.resolve({ tools }),
});

/**
 * Everything from all of them, in their order; of two tools with the same name, the first. A box that cannot be
 * opened is missing, and does not end the turn.
 */
export async function openAll(
  boxes: readonly Toolbox[],
  chat: ChatRow,
  onMissing: (error: unknown) => void,
  run: Run = NO_IDLE_TRACKING,
): Promise<Equipment> {
  const opened = await Promise.all(
    boxes.map((box) =>
      box.open(chat, run).catch((error: unknown): Equipment => {
        if (error instanceof DatabaseUnavailable) throw error;
        onMissing(error);
        return { tools: [], system: [MISSING] };
      }),
    ),
  );
  return {
    tools: opened.flatMap(({ tools }) => tools),
    system: opened.flatMap(({ system = [] }) => system),
    readOnly: opened.flatMap(({ readOnly = [] }) => readOnly),
    ...withheldBy(opened),
    ...changedIn(opened),
  };
}

const MISSING =
  'Some of the tools that you usually have could not be made ready for this turn. If you need one that is not there, say so.';

function withheldBy(opened: readonly Equipment[]): Pick<Equipment, 'withheld'> {
  const all = opened.flatMap(({ withheld }) => withheld ?? []);
  if (all.length === 0) return {};
  return { withheld: (messages) => new Set(all.flatMap((one) => [...one(messages)])) };
}

function changedIn(opened: readonly Equipment[]): Pick<Equipment, 'changed'> {
  const all = opened.flatMap(({ changed }) => changed ?? []);
  if (all.length === 0) return {};
  return { changed: async () => (await Promise.all(all.map((one) => one()))).includes(true) };
}
