import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { HistoryMessage } from '../history/message.ts';
import { chainOf, withOpenAIOptions } from '../providers/openai.ts';
import { withoutToolBlocks } from '../providers/bedrock.ts';
import { cacheMarkOf } from '../providers/cache-mark.ts';
import { withOpenRouterEffort } from '../providers/openrouter.ts';
import { effortOf } from '../providers/reasoning-effort.ts';
import { optionsOf } from '../settings.ts';
import type { PreparedModel } from '../prepared-model.ts';
import { markCache } from './cache-marks.ts';
import type { Conversion } from './conversion.ts';
import { inNativeForm } from './native-form.ts';
import { plainText } from './plain-text.ts';
import { PromptBuilder } from './prompt-builder.ts';
import { withRecentFiles } from './recent-files.ts';

export interface CallRequest {
  system: readonly string[];
  messages: readonly HistoryMessage[];
  /** Appended to the history for this call only. */
  appended?: LanguageModelV4Prompt;
  /** Refers to the previous response instead of repeating the history, where possible. */
  chain?: boolean;
  toolChoice?: LanguageModelV4CallOptions['toolChoice'];
}

export type PreparedCall = Omit<LanguageModelV4CallOptions, 'abortSignal'>;

/** The complete input of one provider call. */
export async function prepareCall(
  prepared: PreparedModel,
  request: CallRequest,
): Promise<PreparedCall> {
  const { model, settings, conversion } = prepared;
  const definitions = prepared.definitions(request.messages);
  const chain =
    request.chain === true && conversion.chained && conversion.fidelity === 'full'
      ? chainOf(request.messages, { provider: model.provider, model: model.modelId })
      : undefined;
  // A chained prompt is built separately and leaves the reused one unchanged.
  const builder = chain === undefined ? prepared.builder : new PromptBuilder(conversion);
  const messages = withRecentFiles(chain?.messages ?? request.messages, prepared.recentFiles);
  const history = await builder.build(messages);
  const conversation = inNativeForm(
    builder.arrangement.of([...history, ...(request.appended ?? [])]),
    prepared.natives,
  );
  // Stored input stays in the chain of responses. Instructions do not, so they can change.
  const asInstructions = conversion.chained && request.system.length > 0;
  const system = request.system.filter((text) => text.trim() !== '');
  const first = asInstructions
    ? []
    : system.map((content) => ({ role: 'system' as const, content }));
  const prompt = withoutUnwanted([...first, ...conversation], conversion, definitions.length > 0);
  const effort = effortOf(settings);
  const added = {
    ...(asInstructions && { instructions: system.join('\n\n') }),
    ...(chain && { previousResponseId: chain.previousResponseId }),
  };
  const options = optionsOf(settings);
  const providerOptions =
    conversion.family === 'openrouter' && effort !== undefined
      ? withOpenRouterEffort(options, effort)
      : Object.keys(added).length > 0
        ? withOpenAIOptions(model.provider, options, added)
        : options;
  const mark = cacheMarkOf(model.provider, model.modelId);
  return {
    prompt: mark === undefined ? prompt : markCache(prompt, mark),
    ...(definitions.length > 0 && { tools: definitions }),
    ...(definitions.length > 0 && request.toolChoice && { toolChoice: request.toolChoice }),
    ...(settings.max_output_tokens !== undefined && {
      maxOutputTokens: settings.max_output_tokens,
    }),
    ...(settings.temperature !== undefined && { temperature: settings.temperature }),
    ...(settings.top_p !== undefined && { topP: settings.top_p }),
    ...(settings.top_k !== undefined && { topK: settings.top_k }),
    ...(settings.presence_penalty !== undefined && { presencePenalty: settings.presence_penalty }),
    ...(settings.frequency_penalty !== undefined && {
      frequencyPenalty: settings.frequency_penalty,
    }),
    ...(effort !== undefined && { reasoning: effort }),
    ...(providerOptions && { providerOptions }),
  };
}

function withoutUnwanted(
  prompt: LanguageModelV4Prompt,
  { family, fidelity }: Conversion,
  hasTools: boolean,
): LanguageModelV4Prompt {
  if (fidelity === 'plain') return plainText(prompt);
  return family === 'bedrock' && !hasTools ? withoutToolBlocks(prompt) : prompt;
}
