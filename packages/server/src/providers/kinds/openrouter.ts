import { z } from 'zod';
import { openrouterOptions } from '../options/openrouter.ts';
import { bearer, below, getJson } from './get-json.ts';
import { priceOfTokens } from './price-of-tokens.ts';
import { keyFrom } from './key-from.ts';
import type { ProviderKind } from './kind.ts';

const SERVICE = 'https://openrouter.ai/api/v1';

const Options = z.strictObject({
  /** Shown with the calls on OpenRouter's pages. */
  app_name: z.string().min(1).max(100).optional(),
  app_url: z.url().max(500).optional(),
});

const List = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      name: z.string().optional(),
      context_length: z.number().nullish(),
      top_provider: z.object({ max_completion_tokens: z.number().nullish() }).nullish(),
      pricing: z
        .object({
          prompt: z.string(),
          completion: z.string(),
          input_cache_read: z.string().optional(),
          input_cache_write: z.string().optional(),
        })
        .nullish(),
    }),
  ),
});

export const openrouter: ProviderKind = {
  label: 'OpenRouter',
  suggested: 'anthropic/claude-sonnet-5.5',
  options: Options,
  providerOptions: () => ({ openrouter: openrouterOptions }),
  webSearch: () => ({ domains: true, contextSize: true }),
  baseUrl: ({ base_url }) => base_url ?? SERVICE,
  environment: (env) => keyFrom(env, ['OPENROUTER_API_KEY']),
  hasKey: ({ api_key }) => api_key !== undefined,
  async build({ base_url, api_key, options }, modelId, fetch) {
    const { createOpenRouter } = await import('@openrouter/ai-sdk-provider');
    const { app_name, app_url } = Options.parse(options ?? {});
    return createOpenRouter({
      baseURL: base_url ?? SERVICE,
      apiKey: api_key ?? '',
      // Without this, no usage is reported.
      compatibility: 'strict',
      fetch,
      ...(app_name !== undefined && { appName: app_name }),
      ...(app_url !== undefined && { appUrl: app_url }),
    }).chat(modelId);
  },
  async listModels(access, asking) {
    const base = openrouter.baseUrl(access);
    const headers = bearer(access.api_key);
    // The model list is public; this request needs the key.
    await getJson(asking, below(base, '/key'), headers, z.unknown());
    const { data } = await getJson(asking, below(base, '/models'), headers, List);
    return data.map(({ id, name, context_length, top_provider, pricing }) => ({
      id,
      ...(name !== undefined && { name }),
      ...(context_length && { context_limit: context_length }),
      ...(top_provider?.max_completion_tokens && {
        max_output_tokens: top_provider.max_completion_tokens,
      }),
      ...priceOfTokens({
        input: pricing?.prompt,
        output: pricing?.completion,
        cache_read: pricing?.input_cache_read,
        cache_write: pricing?.input_cache_write,
      }),
    }));
  },
};
