import { providerCodec } from '@chatd/loop';
import { z } from 'zod';
import type { ProviderAccess } from '../access.ts';
import { openaiChatOptions } from '../options/openai-chat.ts';
import { openaiResponsesOptions } from '../options/openai-responses.ts';
import { below } from './get-json.ts';
import { keyFrom } from './key-from.ts';
import type { ProviderKind } from './kind.ts';
import { openaiModels } from './openai-models.ts';

const Options = z.strictObject({
  /** The name in `https://NAME.openai.azure.com`. Becomes part of the URL. */
  resource_name: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i, 'must be letters, digits and hyphens')
    .optional(),
  api: z.enum(['responses', 'chat']).optional(),
  api_version: z
    .string()
    .regex(/^[\w.-]{1,40}$/, 'must look like v1 or 2025-04-01-preview')
    .optional(),
  /** The older URL format, which contains the deployment. */
  deployment_urls: z.boolean().optional(),
});

const optionsOf = ({ options }: ProviderAccess) => Options.parse(options ?? {});

export const azure: ProviderKind = {
  label: 'Azure OpenAI',
  options: Options,
  // The package reads Responses API options under its own name, and Chat Completions options under OpenAI's.
  providerOptions: (access): Record<string, z.ZodObject> =>
    optionsOf(access).api === 'chat'
      ? { openai: openaiChatOptions }
      : { azure: openaiResponsesOptions },
  webSearch: (access) =>
    optionsOf(access).api === 'chat' ? undefined : { domains: true, contextSize: true },
  baseUrl(access) {
    const { resource_name } = optionsOf(access);
    if (access.base_url !== undefined) return access.base_url;
    return resource_name && `https://${resource_name}.openai.azure.com/openai`;
  },
  // Without the name there is no URL, and models are deployments with custom names.
  environment(env) {
    const resource_name = env['AZURE_RESOURCE_NAME'];
    return resource_name
      ? keyFrom(env, ['AZURE_API_KEY'], { options: { resource_name } })
      : undefined;
  },
  hasKey: ({ api_key }) => api_key !== undefined,
  async build(access, modelId, fetch) {
    const { createAzure } = await import('@ai-sdk/azure');
    const { resource_name, api = 'responses', api_version, deployment_urls } = optionsOf(access);
    const provider = createAzure({
      apiKey: access.api_key ?? '',
      fetch,
      ...(resource_name !== undefined && { resourceName: resource_name }),
      ...(access.base_url !== undefined && { baseURL: access.base_url }),
      ...(api_version !== undefined && { apiVersion: api_version }),
      ...(deployment_urls !== undefined && { useDeploymentBasedUrls: deployment_urls }),
    });
    return api === 'chat' ? provider.chat(modelId) : provider.responses(modelId);
  },
  // Only with the URL format of the service: others have variants of the API.
  endpoint(access, modelId, fetch) {
    const { api, api_version = 'v1', deployment_urls } = optionsOf(access);
    if (deployment_urls === true || access.base_url !== undefined) return undefined;
    const name = api === 'chat' ? 'openai-chat' : 'azure';
    return {
      codec: providerCodec(name, (own) => azure.build(access, modelId, own), fetch),
      url: (path) => `${azure.baseUrl(access)}/v1${path}?api-version=${api_version}`,
      headers: { 'api-key': access.api_key ?? '' },
    };
  },
  // The available models. Names of deployments are only known to the management API.
  listModels(access, asking) {
    const base = azure.baseUrl(access) ?? '';
    const versioned = /\/v1\/?$/.test(base) || access.base_url !== undefined ? base : `${base}/v1`;
    return openaiModels(asking, below(versioned, '/models'), { 'api-key': access.api_key ?? '' });
  },
};
