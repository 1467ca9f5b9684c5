import type { LanguageModelV4 } from '@ai-sdk/provider';
import { type Clock, systemClock } from './clock.ts';
import { type Files, MemoryFiles } from './files.ts';
import type { History } from './history/history.ts';
import type { HistoryMessage } from './history/message.ts';
import { type Publish, shielded } from './live-parts.ts';
import {
  type ConfiguredModel,
  DEFAULT_LIMITS,
  DEFAULT_THRESHOLD,
  type Limits,
  type ModelSettings,
  optionsOf,
} from './settings.ts';
import type { NextConfig } from './next.ts';
import { familyOf } from './providers/family.ts';
import { storageOf } from './providers/openai.ts';
import { webSearchTool } from './providers/web-search.ts';
import type { Conversion } from './prompt/conversion.ts';
import { PromptBuilder } from './prompt/prompt-builder.ts';
import type { Spent } from './spent-call.ts';
import { isInterrupted } from './stop-reason.ts';
import { nativeTools, toolDefinitions, type ToolDefinition } from './tools/definitions.ts';
import { type ToolNames, toolNames } from './tools/names.ts';
import type { NativeTool } from './tools/native-tool.ts';
import type { Tool } from './tools/tool.ts';
import { type ApprovalPolicy, type ToolIndex, toolIndex } from './tools/tool-index.ts';

export type ActiveTools =
  | readonly string[]
  | ((messages: readonly HistoryMessage[]) => readonly string[]);

export interface TurnOptions {
  model: LanguageModelV4;
  history: History;
  tools?: readonly Tool[];
  /**
   * Of the tools that run here, those offered to the model; all of them when left out. A function is asked before each
   * call with the history: what it looks at there is the same for whoever goes on.
   */
  activeTools?: ActiveTools;
  /** The system prompt and what belongs before every conversation, such as context files. */
  system?: readonly string[];
  settings?: ModelSettings;
  /** Makes the summaries instead of the model itself. */
  summaryModel?: ConfiguredModel;
  approval?: ApprovalPolicy;
  limits?: Partial<Limits>;
  files?: Files;
  clock?: Clock;
  /** Sees live parts. If it throws it is not called again, and the turn goes on. */
  publish?: Publish;
  /** Told of what was used without a message that says so, for the books. Must not throw. */
  spent?: Spent;
  /** Aborted with `Interrupted` or `ShuttingDown`. */
  signal?: AbortSignal;
}

/** A model with everything that depends on it. */
export interface Speaker extends ConfiguredModel {
  definitions(messages: readonly HistoryMessage[]): ToolDefinition[];
  conversion: Conversion;
  builder: PromptBuilder;
  /** Tools that the model knows by a definition of its provider's, by the name that the provider sees. */
  natives: ReadonlyMap<string, NativeTool>;
  /** By the tool's own name, how many of its results are shown with their files. */
  recentFiles: ReadonlyMap<string, number>;
}

/** One run of the loop: the options with their defaults, and what is made from them once. */
export interface Turn {
  history: History;
  tools: ToolIndex;
  names: ToolNames;
  system: readonly string[];
  limits: Limits;
  files: Files;
  clock: Clock;
  publish: Publish;
  spent: Spent;
  signal: AbortSignal;
  interrupted(): boolean;
  speaker: Speaker;
  /** Who writes summaries. */
  summariser: Speaker;
  next: NextConfig;
}

export function openTurn(options: TurnOptions): Turn {
  const { model, history, settings = {}, summaryModel } = options;
  const files = options.files ?? new MemoryFiles();
  const tools = options.tools ?? [];
  const names = toolNames(tools);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const speak = (configured: ConfiguredModel): Speaker =>
    speaker(configured, { tools, names, files, active: options.activeTools });
  const own = speak({ model, settings });
  const index = toolIndex(tools);
  const signal = options.signal ?? new AbortController().signal;
  return {
    history,
    tools: index,
    names,
    system: options.system ?? [],
    limits,
    files,
    clock: options.clock ?? systemClock,
    publish: shielded(options.publish),
    spent: options.spent ?? (() => {}),
    signal,
    interrupted: () => isInterrupted(signal),
    speaker: own,
    summariser: summaryModel === undefined ? own : speak(summaryModel),
    next: {
      tools: index,
      max_steps: limits.max_steps,
      compaction_threshold: settings.compaction_threshold ?? DEFAULT_THRESHOLD,
      ...(settings.context_limit !== undefined && { context_limit: settings.context_limit }),
      ...(options.approval && { approval: options.approval }),
    },
  };
}

interface Offered {
  tools: readonly Tool[];
  names: ToolNames;
  files: Files;
  active: ActiveTools | undefined;
}

function speaker({ model, settings }: ConfiguredModel, offered: Offered): Speaker {
  const { names, files } = offered;
  const family = familyOf(model.provider, model.modelId);
  const search = settings.web_search && webSearchTool(family, settings.web_search);
  const all = search === undefined ? offered.tools : [...offered.tools, search];
  const natives = nativeTools(offered.tools, names, model);
  const conversion: Conversion = {
    family,
    provider: model.provider,
    model: model.modelId,
    names,
    files,
    ...storageOf(model.provider, optionsOf(settings), model.modelId),
    selfContained: false,
  };
  return {
    model,
    settings,
    definitions: definitionsFor(all, offered.active, names, natives),
    conversion,
    builder: new PromptBuilder(conversion),
    natives,
    recentFiles: recentFilesOf(offered.tools),
  };
}

/** Made once where they are always the same. */
function definitionsFor(
  tools: readonly Tool[],
  active: ActiveTools | undefined,
  names: ToolNames,
  natives: ReadonlyMap<string, NativeTool>,
): Speaker['definitions'] {
  if (typeof active === 'function') {
    return (messages) => toolDefinitions(tools, active(messages), names, natives);
  }
  const definitions = toolDefinitions(tools, active, names, natives);
  return () => definitions;
}

const recentFilesOf = (tools: readonly Tool[]): Map<string, number> =>
  new Map(
    tools.flatMap((tool): [string, number][] =>
      'run' in tool && tool.recentFiles !== undefined ? [[tool.name, tool.recentFiles]] : [],
    ),
  );
