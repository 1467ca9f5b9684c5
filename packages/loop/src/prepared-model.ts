import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Files } from './files.ts';
import type { HistoryMessage } from './history/message.ts';
import type { Conversion } from './prompt/conversion.ts';
import { lowerFidelity } from './prompt/fidelity.ts';
import { PromptBuilder } from './prompt/prompt-builder.ts';
import { promptView } from './prompt/view.ts';
import { familyOf } from './providers/family.ts';
import { withoutMixedTools } from './providers/google.ts';
import { storageOf } from './providers/openai.ts';
import { webSearchTool } from './providers/web-search.ts';
import { type PushModel, pushModel } from './push-model.ts';
import { type ConfiguredModel, type ModelSettings, optionsOf } from './settings.ts';
import { nativeTools, type ToolDefinition, toolDefinitions } from './tools/definitions.ts';
import { type ToolNames, toolNames } from './tools/names.ts';
import type { NativeTool } from './tools/native-tool.ts';
import { type ProviderTool, type Tool, toolName } from './tools/tool.ts';

export type ActiveTools =
  | readonly string[]
  | ((messages: readonly HistoryMessage[]) => readonly string[]);

export interface Offered {
  tools: readonly Tool[];
  files: Files;
  active: ActiveTools | undefined;
}

/** A model with everything derived from it, for one turn. */
export class PreparedModel implements ConfiguredModel {
  readonly model: PushModel;
  readonly settings: ModelSettings;
  /** Tools by their names for this model. */
  readonly names: ToolNames;
  readonly definitions: (messages: readonly HistoryMessage[]) => ToolDefinition[];
  /** Tools with a definition by the provider, by the name that the provider sees. */
  readonly natives: ReadonlyMap<string, NativeTool>;
  /** By tool name: how many of its results keep their files. */
  readonly recentFiles: ReadonlyMap<string, number>;
  /** Web search by the provider, if enabled in the settings. */
  readonly #search: ProviderTool | undefined;
  #conversion: Conversion;
  #builder: PromptBuilder;

  constructor({ model, settings }: ConfiguredModel, { tools, files, active }: Offered) {
    const family = familyOf(model.provider, model.modelId);
    const search = settings.web_search && webSearchTool(family, settings.web_search);
    this.#search = search;
    this.model = pushModel(model);
    this.settings = settings;
    this.names = toolNames(tools, search === undefined ? [] : [toolName(search)]);
    this.natives = nativeTools(tools, this.names, model);
    this.recentFiles = recentFilesOf(tools);
    const all = search === undefined ? tools : [...tools, search];
    this.definitions = definitionsFor(active, (names) =>
      withoutMixedTools(
        toolDefinitions(all, names, this.names, this.natives),
        family,
        model.modelId,
      ),
    );
    this.#conversion = {
      family,
      provider: model.provider,
      model: model.modelId,
      names: this.names,
      files,
      ...storageOf(model.provider, optionsOf(settings), model.modelId),
      fidelity: 'full',
    };
    this.#builder = new PromptBuilder(this.#conversion);
  }

  get conversion(): Conversion {
    return this.#conversion;
  }

  /** Builds each prompt incrementally. */
  get builder(): PromptBuilder {
    return this.#builder;
  }

  /** What these tools lack compared to the settings, as text. */
  missingIn(tools: LanguageModelV4CallOptions['tools'] = []): string[] {
    const search = this.#search;
    if (search === undefined || tools.some(({ name }) => name === toolName(search))) return [];
    return ['Web search was omitted: this model supports it only without other tools.'];
  }

  /**
   * Reduces the fidelity of the history until the end of the turn, because the provider rejected it. False if these
   * messages cannot be reduced further.
   */
  lowerFidelity(messages: readonly HistoryMessage[]): boolean {
    const fidelity = lowerFidelity(this.#conversion.fidelity, promptView(messages));
    if (fidelity === undefined) return false;
    this.#conversion = { ...this.#conversion, fidelity };
    this.#builder = new PromptBuilder(this.#conversion);
    return true;
  }
}

/** Cached if they are constant. */
function definitionsFor(
  active: ActiveTools | undefined,
  define: (active: readonly string[] | undefined) => ToolDefinition[],
): PreparedModel['definitions'] {
  if (typeof active === 'function') return (messages) => define(active(messages));
  const definitions = define(active);
  return () => definitions;
}

const recentFilesOf = (tools: readonly Tool[]): Map<string, number> =>
  new Map(
    tools.flatMap((tool): [string, number][] =>
      'run' in tool && tool.recentFiles !== undefined ? [[tool.name, tool.recentFiles]] : [],
    ),
  );
