import { providerCodec } from '@chatd/loop';
import { z } from 'zod';
import type { ProviderAccess } from '../access.ts';
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

const headersOf = ({ api_key }: ProviderAccess) => ({ 'x-goog-api-key': api_key ?? '' });

export const google: ProviderKind = {
  label: 'Google',
  suggested: 'gemini-3.8-flash',
  options: z.strictObject({}),
  providerOptions: () => ({ google: googleOptions }),
  webSearch: () => ({ domains: false, contextSize: false }),
  baseUrl: ({ base_url }) => base_url ?? SERVICE,
  environment: (env) =>
    keyFrom(env, ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY']),
  hasKey: ({ api_key }) => api_key !== undefined,
  async build({ base_url, api_key }, modelId, fetch) {
    const { createGoogle } = await import('@ai-sdk/google');
    return createGoogle({ baseURL: base_url ?? SERVICE, apiKey: api_key ?? '', fetch })(modelId);
  },
  endpoint: (access, modelId, fetch) => ({
    codec: providerCodec('google', (own) => google.build(access, modelId, own), fetch),
    url: (path) => below(google.baseUrl(access), path),
    headers: headersOf(access),
  }),
  async listModels(access, asking) {
    const url = below(google.baseUrl(access), '/models?pageSize=1000');
    const { models } = await getJson(asking, url, headersOf(access), List);
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
