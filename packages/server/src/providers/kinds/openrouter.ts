import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { z } from 'zod';
import type { ProviderKind } from './kind.ts';

const SERVICE = 'https://openrouter.ai/api/v1';

const Options = z.strictObject({
  /** Shown beside the calls on OpenRouter's pages. */
  app_name: z.string().min(1).max(100).optional(),
  app_url: z.url().max(500).optional(),
});

export const openrouter: ProviderKind = {
  label: 'OpenRouter',
  options: Options,
  baseUrl: ({ base_url }) => base_url ?? SERVICE,
  hasKey: ({ api_key }) => api_key !== undefined,
  build({ base_url, api_key, options }, modelId, fetch) {
    const { app_name, app_url } = Options.parse(options ?? {});
    return createOpenRouter({
      baseURL: base_url ?? SERVICE,
      apiKey: api_key ?? '',
      // Without it no usage is reported.
      compatibility: 'strict',
      fetch,
      ...(app_name !== undefined && { appName: app_name }),
      ...(app_url !== undefined && { appUrl: app_url }),
    }).chat(modelId);
  },
};
