import { providerCodec } from '@chatd/loop';
import { z } from 'zod';
import { openaiCompatibleOptions } from '../options/openai-compatible.ts';
import { bearer, below } from './get-json.ts';
import type { ProviderKind } from './kind.ts';
import { openaiModels } from './openai-models.ts';
import { thinkTagsModel } from '../think-tags/think-tags-model.ts';

const Options = z.strictObject({
  /** Whether the service accepts images in tool results, which Chat Completions does not specify. */
  media_in_tool_results: z.boolean().optional(),
});

/**
 * Ollama, vLLM, LM Studio and other Chat Completions services. The provider id of models is fixed, so that the display
 * name does not affect how the loop treats them.
 */
export const openaiCompatible: ProviderKind = {
  label: 'OpenAI-compatible',
  options: Options,
  providerOptions: () => ({ openaiCompatible: openaiCompatibleOptions }),
  webSearch: () => undefined,
  baseUrl: ({ base_url }) => base_url,
  environment: () => undefined,
  hasKey: () => true,
  async build({ base_url, api_key, options }, modelId, fetch) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const { media_in_tool_results } = Options.parse(options ?? {});
    const provider = createOpenAICompatible({
      name: 'openai-compatible',
      baseURL: base_url ?? '',
      includeUsage: true,
      fetch,
      ...(api_key !== undefined && { apiKey: api_key }),
      ...(media_in_tool_results !== undefined && {
        supportsMultiPartToolContent: media_in_tool_results,
      }),
    });
    return provider(modelId);
  },
  endpoint(access, modelId, fetch) {
    const { media_in_tool_results } = Options.parse(access.options ?? {});
    return {
      codec: providerCodec(
        media_in_tool_results === true ? 'openai-compatible-media' : 'openai-compatible',
        (own) => openaiCompatible.build(access, modelId, own),
        fetch,
      ),
      url: (path) => below(access.base_url, path),
      headers: bearer(access.api_key),
    };
  },
  adapt: thinkTagsModel,
  listModels: ({ base_url, api_key }, asking) =>
    openaiModels(asking, below(base_url, '/models'), bearer(api_key)),
};
