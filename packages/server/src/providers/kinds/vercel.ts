import { z } from 'zod';
import type { ProviderAccess } from '../access.ts';
import { anthropicOptions } from '../options/anthropic.ts';
import { googleOptions } from '../options/google.ts';
import { openaiResponsesOptions } from '../options/openai-responses.ts';
import { vercelOptions } from '../options/vercel.ts';
import { keyFrom } from './key-from.ts';
import type { Fetch, ProviderKind } from './kind.ts';
import { priceOfTokens } from './price-of-tokens.ts';

const SERVICE = 'https://ai-gateway.vercel.sh/v4/ai';

const Options = z.strictObject({
  /** For a token with access to several teams. */
  team: z.string().min(1).max(200).optional(),
});

async function gateway({ base_url, api_key, options }: ProviderAccess, fetch: Fetch) {
  const { createGateway } = await import('@ai-sdk/gateway');
  const { team } = Options.parse(options ?? {});
  return createGateway({
    baseURL: base_url ?? SERVICE,
    // A function, because the package treats an empty string as absent and reads the environment.
    apiKey: () => api_key ?? '',
    fetch,
    ...(team !== undefined && { teamIdOrSlug: team }),
  });
}

export const vercel: ProviderKind = {
  label: 'Vercel AI Gateway',
  suggested: 'anthropic/claude-sonnet-5.5',
  options: Options,
  // Options are passed to the underlying provider.
  providerOptions: () => ({
    gateway: vercelOptions,
    anthropic: anthropicOptions,
    openai: openaiResponsesOptions,
    google: googleOptions,
  }),
  // Support depends on the underlying provider; many can only be switched on.
  webSearch: () => ({ domains: false, contextSize: false }),
  baseUrl: ({ base_url }) => base_url ?? SERVICE,
  environment: (env) => keyFrom(env, ['AI_GATEWAY_API_KEY']),
  hasKey: ({ api_key }) => api_key !== undefined,
  build: async (access, modelId, fetch) => (await gateway(access, fetch))(modelId),
  async listModels(access, { fetch, signal }) {
    const asking: Fetch = (input, init) => fetch(input, { ...init, signal });
    const { models } = await (await gateway(access, asking)).getAvailableModels();
    return models
      .filter(({ modelType }) => (modelType ?? 'language') === 'language')
      .map(({ id, name, pricing }) => ({
        id,
        name,
        ...priceOfTokens({
          input: pricing?.input,
          output: pricing?.output,
          cache_read: pricing?.cachedInputTokens,
          cache_write: pricing?.cacheCreationInputTokens,
        }),
      }));
  },
};
