import { createOpenAI } from '@ai-sdk/openai';
import { z } from 'zod';
import type { ProviderKind } from './kind.ts';

const SERVICE = 'https://api.openai.com/v1';

const Options = z.strictObject({
  /** Which of OpenAI's two APIs is spoken. */
  api: z.enum(['responses', 'chat']).optional(),
  organization: z.string().min(1).max(200).optional(),
  project: z.string().min(1).max(200).optional(),
});

export const openai: ProviderKind = {
  label: 'OpenAI',
  options: Options,
  baseUrl: ({ base_url }) => base_url ?? SERVICE,
  hasKey: ({ api_key }) => api_key !== undefined,
  build({ base_url, api_key, options }, modelId, fetch) {
    const { api = 'responses', organization, project } = Options.parse(options ?? {});
    const provider = createOpenAI({
      baseURL: base_url ?? SERVICE,
      apiKey: api_key ?? '',
      fetch,
      ...(organization !== undefined && { organization }),
      ...(project !== undefined && { project }),
    });
    return api === 'chat' ? provider.chat(modelId) : provider.responses(modelId);
  },
};
