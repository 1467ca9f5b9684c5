import type { HistoryMessage } from '@chatd/loop';
import type { ChatContext, ToolSource } from '@chatd/protocol';
import type { ChatRow } from '../chat/row.ts';
import { DatabaseUnavailable } from '../store/unavailable.ts';
import type { AgentTool } from './agent-tool.ts';
import { NO_IDLE_TRACKING, type Run } from './idle-tracking.ts';

/** What a toolbox contributes to one turn of a chat. */
export interface TurnTools {
  readonly tools: readonly AgentTool[];
  /** Parts of the system prompt: context files, and notes about the tools. */
  readonly system?: readonly string[];
  /**
   * Names of tools that can be called but are not offered to the model yet. Derived from the history, so that a worker
   * that resumes the turn computes the same.
   */
  readonly withheld?: (messages: readonly HistoryMessage[]) => ReadonlySet<string>;
  readonly observers?: readonly TurnObserver[];
  /** Whether the tools have changed. Checked between steps; if so, all toolboxes are opened again. */
  readonly changed?: () => Promise<boolean>;
}

/** Hears of the turn that the tools are for. Must not throw. */
export interface TurnObserver {
  /** The results of tools were committed, with this message as the last. */
  stepCommitted(messageId: number): void;
  /** The turn has ended. */
  ended(): Promise<void>;
}

/** What the next turn would get, as far as it is known without contacting other servers or storing anything. */
export interface ToolsPreview {
  readonly tools: readonly AgentTool[];
  readonly context?: Partial<Omit<ChatContext, 'tools'>>;
}

/** A source of tools: workspaces, MCP servers, subagents. */
export interface Toolbox {
  readonly source: ToolSource;
  /** Called for each turn. */
  open(chat: ChatRow, run: Run): Promise<TurnTools>;
  preview(chat: ChatRow): Promise<ToolsPreview>;
}

/** The same tools for every chat. */
export const fixedToolbox = (tools: readonly AgentTool[]): Toolbox => ({
  source: 'chatd',
  open: () => Promise.resolve({ tools }),
  preview: () => Promise.resolve({ tools }),
});

/**
 * Opens all toolboxes, in order. If two tools have the same name, the first counts. A toolbox that fails is left out and
 * does not end the turn.
 */
export async function openAll(
  toolboxes: readonly Toolbox[],
  chat: ChatRow,
  onMissing: (error: unknown) => void,
  run: Run = NO_IDLE_TRACKING,
): Promise<TurnTools> {
  const opened = await Promise.all(
    toolboxes.map((toolbox) =>
      toolbox.open(chat, run).catch((error: unknown): TurnTools => {
        if (error instanceof DatabaseUnavailable) throw error;
        onMissing(error);
        return { tools: [], system: [MISSING] };
      }),
    ),
  );
  return {
    tools: opened.flatMap(({ tools }) => tools),
    system: opened.flatMap(({ system = [] }) => system),
    observers: opened.flatMap(({ observers = [] }) => observers),
    ...withheldBy(opened),
    ...changedIn(opened),
  };
}

const MISSING =
  'Some of your usual tools are not available in this turn. If you need one of them, tell the user.';

function withheldBy(opened: readonly TurnTools[]): Pick<TurnTools, 'withheld'> {
  const all = opened.flatMap(({ withheld }) => withheld ?? []);
  if (all.length === 0) return {};
  return { withheld: (messages) => new Set(all.flatMap((one) => [...one(messages)])) };
}

function changedIn(opened: readonly TurnTools[]): Pick<TurnTools, 'changed'> {
  const all = opened.flatMap(({ changed }) => changed ?? []);
  if (all.length === 0) return {};
  return { changed: async () => (await Promise.all(all.map((one) => one()))).includes(true) };
}
