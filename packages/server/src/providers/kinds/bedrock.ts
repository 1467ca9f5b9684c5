import { z } from 'zod';
import type { ProviderAccess } from '../access.ts';
import { bedrockOptions } from '../options/bedrock.ts';
import { bearer, below, getJson } from './get-json.ts';
import { keyFrom } from './key-from.ts';
import type { ProviderKind } from './kind.ts';

const Options = z.strictObject({
  /** Becomes part of the URL. */
  region: z
    .string()
    .regex(/^[a-z]{2}(?:-[a-z]{2,8}){1,3}-\d{1,2}$/, 'must look like us-east-1')
    .optional(),
  /** For an application inference profile, whose id does not name the model. */
  model_family: z.enum(['anthropic']).optional(),
});

const DEFAULT_REGION = 'us-east-1';

const optionsOf = ({ options }: ProviderAccess) => Options.parse(options ?? {});

const suffixOf = (region: string) =>
  region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';

function runtimeUrl(access: ProviderAccess): string {
  const { region = DEFAULT_REGION } = optionsOf(access);
  return access.base_url ?? `https://bedrock-runtime.${region}.${suffixOf(region)}`;
}

const List = z.object({
  modelSummaries: z.array(
    z.object({
      modelId: z.string(),
      modelName: z.string().optional(),
      outputModalities: z.array(z.string()).optional(),
      responseStreamingSupported: z.boolean().nullish(),
    }),
  ),
});

function controlUrl(access: ProviderAccess): string {
  const { region = DEFAULT_REGION } = optionsOf(access);
  return access.base_url ?? `https://bedrock.${region}.${suffixOf(region)}`;
}

/** The Bedrock package signs only its own requests, and cannot list models. */
async function authorization(access: ProviderAccess, url: string): Promise<Record<string, string>> {
  const { api_key, access_key_id, secret_access_key, session_token } = access;
  if (api_key !== undefined) return bearer(api_key);
  const { region = DEFAULT_REGION } = optionsOf(access);
  const { AwsV4Signer } = await import('aws4fetch');
  const signer = new AwsV4Signer({
    url,
    region,
    service: 'bedrock',
    accessKeyId: access_key_id ?? '',
    secretAccessKey: secret_access_key ?? '',
    ...(session_token !== undefined && { sessionToken: session_token }),
  });
  const { headers } = await signer.sign();
  return Object.fromEntries(headers);
}

export const bedrock: ProviderKind = {
  label: 'Amazon Bedrock',
  suggested: 'us.anthropic.claude-sonnet-5-5',
  options: Options,
  providerOptions: () => ({ amazonBedrock: bedrockOptions }),
  webSearch: () => undefined,
  baseUrl: runtimeUrl,
  environment(env) {
    const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'];
    const options = region ? { options: { region } } : {};
    const byKey = keyFrom(env, ['AWS_BEARER_TOKEN_BEDROCK'], options);
    if (byKey !== undefined) return byKey;
    const access_key_id = env['AWS_ACCESS_KEY_ID'];
    const secret_access_key = env['AWS_SECRET_ACCESS_KEY'];
    const session_token = env['AWS_SESSION_TOKEN'];
    if (!access_key_id || !secret_access_key || !region) return undefined;
    const session = session_token ? { session_token } : {};
    return { secrets: { access_key_id, secret_access_key, ...session }, ...options };
  },
  hasKey: ({ api_key, access_key_id, secret_access_key }) =>
    api_key !== undefined || (access_key_id !== undefined && secret_access_key !== undefined),
  async build(access, modelId, fetch) {
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
    const { region = DEFAULT_REGION, model_family } = optionsOf(access);
    const provider = createAmazonBedrock({
      region,
      baseURL: runtimeUrl(access),
      // Empty instead of absent: otherwise the package reads the environment.
      apiKey: access.api_key ?? '',
      accessKeyId: access.access_key_id ?? '',
      secretAccessKey: access.secret_access_key ?? '',
      fetch,
      ...(access.session_token !== undefined && { sessionToken: access.session_token }),
    });
    return provider(modelId, model_family && { modelFamily: model_family });
  },
  async listModels(access, asking) {
    const url = below(controlUrl(access), '/foundation-models');
    const { modelSummaries } = await getJson(asking, url, await authorization(access, url), List);
    return modelSummaries
      .filter((model) => model.outputModalities?.includes('TEXT') ?? true)
      .filter((model) => model.responseStreamingSupported !== false)
      .map(({ modelId: id, modelName: name }) => ({ id, ...(name !== undefined && { name }) }));
  },
};
