import { providerCodec } from '@chatd/loop';
import { z } from 'zod';
import type { ProviderAccess } from '../access.ts';
import { openaiChatOptions } from '../options/openai-chat.ts';
import { openaiResponsesOptions } from '../options/openai-responses.ts';
import { bearer, below } from './get-json.ts';
import { keyFrom } from './key-from.ts';
import type { ProviderKind } from './kind.ts';
import { openaiModels } from './openai-models.ts';

const SERVICE = 'https://api.openai.com/v1';

const Options = z.strictObject({
  api: z.enum(['responses', 'chat']).optional(),
  organization: z.string().min(1).max(200).optional(),
  project: z.string().min(1).max(200).optional(),
});

const speaksChat = ({ options }: ProviderAccess) => Options.parse(options ?? {}).api === 'chat';

export const openai: ProviderKind = {
  label: 'OpenAI',
  suggested: 'gpt-6.1-sol',
  options: Options,
  providerOptions: (access) => ({
    openai: speaksChat(access) ? openaiChatOptions : openaiResponsesOptions,
  }),
  webSearch: (access) => (speaksChat(access) ? undefined : { domains: true, contextSize: true }),
  baseUrl: ({ base_url }) => base_url ?? SERVICE,
  environment: (env) => keyFrom(env, ['OPENAI_API_KEY'], { base_url: env['OPENAI_BASE_URL'] }),
  hasKey: ({ api_key }) => api_key !== undefined,
  async build({ base_url, api_key, options }, modelId, fetch) {
    const { createOpenAI } = await import('@ai-sdk/openai');
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
  endpoint: (access, modelId, fetch) => ({
    codec: providerCodec(
      speaksChat(access) ? 'openai-chat' : 'openai',
      (own) => openai.build(access, modelId, own),
      fetch,
    ),
    url: (path) => below(openai.baseUrl(access), path),
    headers: headersOf(access),
  }),
  listModels: (access, asking) =>
    openaiModels(asking, below(openai.baseUrl(access), '/models'), headersOf(access)),
};

function headersOf({ api_key, options }: ProviderAccess): Record<string, string> {
  const { organization, project } = Options.parse(options ?? {});
  return {
    ...bearer(api_key),
    ...(organization !== undefined && { 'openai-organization': organization }),
    ...(project !== undefined && { 'openai-project': project }),
  };
}
