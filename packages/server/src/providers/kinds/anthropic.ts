import { createAnthropic } from '@ai-sdk/anthropic';
import { z } from 'zod';
import type { ProviderKind } from './kind.ts';

const SERVICE = 'https://api.anthropic.com/v1';

export const anthropic: ProviderKind = {
  label: 'Anthropic',
  options: z.strictObject({}),
  baseUrl: ({ base_url }) => base_url ?? SERVICE,
  hasKey: ({ api_key }) => api_key !== undefined,
  build: ({ base_url, api_key }, modelId, fetch) =>
    createAnthropic({ baseURL: base_url ?? SERVICE, apiKey: api_key ?? '', fetch })(modelId),
};
