import { createGoogle } from '@ai-sdk/google';
import { z } from 'zod';
import type { ProviderKind } from './kind.ts';

const SERVICE = 'https://generativelanguage.googleapis.com/v1beta';

export const google: ProviderKind = {
  label: 'Google',
  options: z.strictObject({}),
  baseUrl: ({ base_url }) => base_url ?? SERVICE,
  hasKey: ({ api_key }) => api_key !== undefined,
  build: ({ base_url, api_key }, modelId, fetch) =>
    createGoogle({ baseURL: base_url ?? SERVICE, apiKey: api_key ?? '', fetch })(modelId),
};
