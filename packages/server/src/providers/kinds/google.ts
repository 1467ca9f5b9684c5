import { z } from 'zod';
import { googleOptions } from '../options/google.ts';
import { below, getJson } from './get-json.ts';
import { keyFrom } from './key-from.ts';
import type { ProviderKind } from './kind.ts';

const SERVICE = 'https://generativelanguage.googleapis.com/v1beta';

const List = z.object({
  models: z.array(
    z.object({
      name: z.string(),
      displayName: z.string().optional(),
      inputTokenLimit: z.number().optional(),
      outputTokenLimit: z.number().optional(),
      supportedGenerationMethods: z.array(z.string()).optional(),
    }),
  ),
});

export const google: ProviderKind = {
  label: 'Google',
  options: z.strictObject({}),
  providerOptions: () => ({ google: googleOptions }),
  webSearch: () => ({ domains: false, contextSize: false }),
  baseUrl: ({ base_url }) => base_url ?? SERVICE,
  environment: (env) =>
    keyFrom(env, ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY'], {
      model: 'gemini-3.8-flash',
    }),
  hasKey: ({ api_key }) => api_key !== undefined,
  async build({ base_url, api_key }, modelId, fetch) {
    const { createGoogle } = await import('@ai-sdk/google');
    return createGoogle({ baseURL: base_url ?? SERVICE, apiKey: api_key ?? '', fetch })(modelId);
  },
  async listModels(access, asking) {
    const url = below(google.baseUrl(access), '/models?pageSize=1000');
    const headers = { 'x-goog-api-key': access.api_key ?? '' };
    const { models } = await getJson(asking, url, headers, List);
    return models
      .filter(({ supportedGenerationMethods: can }) => can?.includes('generateContent') ?? true)
      .map((model) => ({
        id: model.name.replace(/^models\//, ''),
        ...(model.displayName !== undefined && { name: model.displayName }),
        ...(model.inputTokenLimit && { context_limit: model.inputTokenLimit }),
        ...(model.outputTokenLimit && { max_output_tokens: model.outputTokenLimit }),
      }));
  },
};
