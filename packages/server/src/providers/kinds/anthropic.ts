import { providerCodec } from '@chatd/loop';
import { z } from 'zod';
import type { ProviderAccess } from '../access.ts';
import { anthropicOptions } from '../options/anthropic.ts';
import { below, getJson } from './get-json.ts';
import { keyFrom } from './key-from.ts';
import type { ProviderKind } from './kind.ts';

const UNVERSIONED = 'https://api.anthropic.com';
const SERVICE = `${UNVERSIONED}/v1`;

const List = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      display_name: z.string().optional(),
      max_input_tokens: z.number().nullish(),
      max_tokens: z.number().nullish(),
    }),
  ),
});

const headersOf = ({ api_key }: ProviderAccess) => ({
  'x-api-key': api_key ?? '',
  'anthropic-version': '2023-06-01',
});

export const anthropic: ProviderKind = {
  label: 'Anthropic',
  suggested: 'claude-sonnet-5-5',
  options: z.strictObject({}),
  providerOptions: () => ({ anthropic: anthropicOptions }),
  webSearch: () => ({ domains: true, contextSize: false }),
  // As the package does: Anthropic's own SDK takes the URL without the version.
  baseUrl: ({ base_url = SERVICE }) =>
    base_url.replace(/\/+$/, '') === UNVERSIONED ? SERVICE : base_url,
  environment: (env) =>
    keyFrom(env, ['ANTHROPIC_API_KEY'], {
      base_url: env['ANTHROPIC_BASE_URL'],
    }),
  hasKey: ({ api_key }) => api_key !== undefined,
  async build({ base_url, api_key }, modelId, fetch) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ baseURL: base_url ?? SERVICE, apiKey: api_key ?? '', fetch })(modelId);
  },
  endpoint: (access, modelId, fetch) => ({
    codec: providerCodec('anthropic', (own) => anthropic.build(access, modelId, own), fetch),
    url: (path) => below(anthropic.baseUrl(access), path),
    headers: headersOf(access),
  }),
  async listModels(access, asking) {
    const url = below(anthropic.baseUrl(access), '/models?limit=1000');
    const { data } = await getJson(asking, url, headersOf(access), List);
    return data.map(({ id, display_name: name, max_input_tokens, max_tokens }) => ({
      id,
      ...(name !== undefined && { name }),
      ...(max_input_tokens && { context_limit: max_input_tokens }),
      ...(max_tokens && { max_output_tokens: max_tokens }),
    }));
  },
};
