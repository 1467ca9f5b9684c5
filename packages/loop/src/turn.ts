import { type Clock, systemClock } from '@chatd/protocol/clock';
import { type Files, MemoryFiles } from './files.ts';
import { UsedCallIds } from './history/call-ids.ts';
import type { History } from './history/history.ts';
import { SUMMARY_TOOL } from './history/message.ts';
import { type Publish, shielded } from './live-parts.ts';
import type { NextConfig } from './next.ts';
import { type ActiveTools, PreparedModel } from './prepared-model.ts';
import type { Model } from './push-model.ts';
import {
  type ConfiguredModel,
  DEFAULT_LIMITS,
  DEFAULT_THRESHOLD,
  type Limits,
  type ModelSettings,
} from './settings.ts';
import type { Spent } from './spent-call.ts';
import { isInterrupted } from './stop-reason.ts';
import { type Tool, toolName } from './tools/tool.ts';
import { type ApprovalPolicy, type ToolIndex, toolIndex } from './tools/tool-index.ts';

export interface TurnOptions {
  model: Model;
  history: History;
  tools?: readonly Tool[];
  /**
   * The local tools offered to the model. Default: all. A function is called with the history before each model call;
   * it must depend on the history only, so that another process gets the same result.
   */
  activeTools?: ActiveTools;
  /** The system prompt, and other content before every conversation, such as context files. */
  system?: readonly string[];
  settings?: ModelSettings;
  /** Writes the summaries. Default: the model itself. */
  summaryModel?: ConfiguredModel;
  approval?: ApprovalPolicy;
  limits?: Partial<Limits>;
  files?: Files;
  clock?: Clock;
  /** Receives live parts. If it throws, it is not called again, and the turn continues. */
  publish?: Publish;
  /** Called for usage that no message contains, for accounting. Must not throw. */
  spent?: Spent;
  /** Called with what a model call omits or changes, for a debug record. Must not throw. */
  warn?: (warning: string) => void;
  /** Called with the bytes of each part of a response. Reading pauses until the promise has resolved. */
  pace?: Pace;
  /** Aborted with `Interrupted` or `ShuttingDown`. */
  signal?: AbortSignal;
}

/** Backpressure on a provider. Undefined: reading continues. */
export type Pace = (bytes: number) => Promise<void> | undefined;

/** One run of the loop: the options with their defaults, and values derived from them once. */
export interface Turn {
  history: History;
  callIds: UsedCallIds;
  tools: ToolIndex;
  system: readonly string[];
  limits: Limits;
  files: Files;
  clock: Clock;
  publish: Publish;
  spent: Spent;
  warn: (warning: string) => void;
  pace: Pace;
  signal: AbortSignal;
  interrupted(): boolean;
  model: PreparedModel;
  /** Writes the summaries. */
  summaryModel: PreparedModel;
  next: NextConfig;
}

export function openTurn(options: TurnOptions): Turn {
  const { model, history, settings = {}, summaryModel } = options;
  const files = options.files ?? new MemoryFiles();
  const tools = options.tools ?? [];
  if (tools.some((tool) => toolName(tool) === SUMMARY_TOOL)) {
    throw new Error(`The tool name "${SUMMARY_TOOL}" is reserved. Rename the tool.`);
  }
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const offered = { tools, files, active: options.activeTools };
  const own = new PreparedModel({ model, settings }, offered);
  const index = toolIndex(tools);
  const signal = options.signal ?? new AbortController().signal;
  return {
    history,
    callIds: new UsedCallIds(),
    tools: index,
    system: options.system ?? [],
    limits,
    files,
    clock: options.clock ?? systemClock,
    publish: shielded(options.publish),
    spent: options.spent ?? (() => {}),
    warn: options.warn ?? (() => {}),
    pace: options.pace ?? (() => undefined),
    signal,
    interrupted: () => isInterrupted(signal),
    model: own,
    summaryModel: summaryModel === undefined ? own : new PreparedModel(summaryModel, offered),
    next: {
      tools: index,
      max_steps: limits.max_steps,
      compaction_threshold: settings.compaction_threshold ?? DEFAULT_THRESHOLD,
      ...(settings.context_limit !== undefined && { context_limit: settings.context_limit }),
      ...(options.approval && { approval: options.approval }),
    },
  };
}
