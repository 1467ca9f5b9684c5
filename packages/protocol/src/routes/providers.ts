import { z } from 'zod';
import { Uuid } from '../ids.ts';
import { JsonObject } from '../json.ts';
import { ApiKey, AwsCredentials, Provider, ProviderTest, ProviderType } from '../provider.ts';
import { NoNextCursor } from '../page.ts';
import { routeWith } from '../route.ts';

const route = routeWith('Providers');
const ProviderParams = z.strictObject({ provider_id: Uuid.describe('ID of the provider.') });

const Name = z.string().trim().min(1).max(100);
const BaseUrl = z.string().min(1).max(2000);

const WORDS = {
  name: { description: 'Name shown to users.', examples: ['Anthropic'] },
  base_url: {
    description:
      "Base URL for API calls, in the form that the AI SDK package expects, including `/v1`. Required for `openai-compatible`, and for `azure` without `options.resource_name`. Default: the provider's API. Private addresses may be refused.",
    examples: ['http://127.0.0.1:11434/v1'],
  },
  api_key: {
    description: 'API key: 8 to 8,192 visible ASCII characters. Write-only and stored encrypted.',
    examples: ['sk-0123456789'],
  },
  options: {
    description:
      'Additional options by type: `api`, `organization`, `project` (`openai`); `resource_name`, `api`, `api_version`, `deployment_urls` (`azure`); `region`, `model_family` (`bedrock`); `media_in_tool_results` (`openai-compatible`); `app_name`, `app_url` (`openrouter`); `team` (`vercel`).',
    examples: [{ api: 'chat' }],
  },
  enabled: { description: 'Allows chats to use its models.' },
  allow_user_keys: {
    description:
      "Allows users to store their own API keys, which take precedence over the provider's key in their chats.",
  },
};

export const providerRoutes = {
  listProviders: route({
    method: 'get',
    path: '/providers',
    summary: 'List providers; members see those that accept user keys',
    description:
      'Sorted by creation time. Admins with the `admin` scope see all providers and all fields.',
    scope: 'read',
    answers: {
      200: z.object({
        providers: z.array(Provider).describe('All visible providers.'),
        next_cursor: NoNextCursor,
      }),
    },
  }),
  createProvider: route({
    method: 'post',
    path: '/providers',
    summary: 'Add a provider',
    description:
      'Validates the URL, but not the key. Test it with `testProvider`. Add models with `createModelConfig`.',
    scope: 'admin',
    body: z
      .strictObject({
        type: ProviderType.exclude(['demo']).describe('Type of the provider. Cannot be changed.'),
        name: Name.meta(WORDS.name),
        base_url: BaseUrl.optional().meta(WORDS.base_url),
        api_key: ApiKey.optional().meta(WORDS.api_key),
        aws_credentials: AwsCredentials.optional().describe(
          'AWS credentials, instead of an API key. Only for `bedrock`. Write-only and stored encrypted.',
        ),
        options: JsonObject.optional().meta(WORDS.options),
        enabled: z.boolean().default(true).meta(WORDS.enabled),
        allow_user_keys: z.boolean().default(false).meta(WORDS.allow_user_keys),
      })
      .meta({
        examples: [{ type: 'anthropic', name: 'Anthropic', api_key: 'sk-0123456789' }],
      }),
    answers: { 201: Provider },
    refusals: ['url_not_allowed', 'secret_key_required'],
    secret: true,
    audit: { action: 'provider.create', values: ['name', 'type'] },
  }),
  getProvider: route({
    method: 'get',
    path: '/providers/{provider_id}',
    summary: 'Get a provider',
    description: 'Without its keys.',
    scope: 'admin',
    params: ProviderParams,
    answers: { 200: Provider },
  }),
  updateProvider: route({
    method: 'patch',
    path: '/providers/{provider_id}',
    summary: 'Change a provider; null clears a URL or a key',
    description:
      'Omitted fields do not change. Applies to the next model call, on other servers within 5 seconds.',
    scope: 'admin',
    params: ProviderParams,
    body: z.strictObject({
      name: Name.optional().meta(WORDS.name),
      base_url: BaseUrl.nullable()
        .optional()
        .meta({
          ...WORDS.base_url,
          description: `${WORDS.base_url.description} Null: the default.`,
        }),
      api_key: ApiKey.nullable()
        .optional()
        .meta({
          ...WORDS.api_key,
          description: `${WORDS.api_key.description} Null removes it.`,
        }),
      aws_credentials: AwsCredentials.nullable()
        .optional()
        .describe(
          'AWS credentials for `bedrock`, instead of an API key. Write-only. Null removes them.',
        ),
      options: JsonObject.optional().meta({
        ...WORDS.options,
        description: `${WORDS.options.description} Replaces all options.`,
      }),
      enabled: z.boolean().optional().meta(WORDS.enabled),
      allow_user_keys: z.boolean().optional().meta(WORDS.allow_user_keys),
    }),
    answers: { 200: Provider },
    refusals: ['url_not_allowed', 'secret_key_required'],
    secret: true,
    audit: { action: 'provider.update', values: ['name', 'type'] },
  }),
  deleteProvider: route({
    method: 'delete',
    path: '/providers/{provider_id}',
    summary: 'Delete a provider with its models, if no chat uses them',
    description: 'Disable the provider instead if chats use it. Deletes user keys of the provider.',
    scope: 'admin',
    params: ProviderParams,
    answers: { 204: null },
    refusals: ['built_in', 'provider_in_use'],
    audit: { action: 'provider.delete' },
  }),
  testProvider: route({
    method: 'post',
    path: '/providers/{provider_id}/test',
    summary: 'Test the connection to a provider',
    description:
      'Calls the provider with the stored key or the one in the environment. Timeout: 10 seconds. A failure is part of the response, not an error status.',
    scope: 'admin',
    params: ProviderParams,
    answers: { 200: ProviderTest },
    secret: true,
  }),
  setOwnKey: route({
    method: 'post',
    path: '/providers/{provider_id}/key',
    summary: 'Store your own API key for a provider',
    description:
      "Replaces your previous key. Your chats use it instead of the provider's key. Fails with 404 unless the provider is enabled and accepts user keys.",
    scope: 'write',
    params: ProviderParams,
    body: z.strictObject({
      api_key: ApiKey.meta({
        ...WORDS.api_key,
        description:
          'Your API key: 8 to 8,192 visible ASCII characters. Write-only and stored encrypted.',
      }),
    }),
    answers: { 204: null },
    refusals: ['secret_key_required'],
    secret: true,
    audit: { action: 'provider.set_own_key' },
  }),
  deleteOwnKey: route({
    method: 'delete',
    path: '/providers/{provider_id}/key',
    summary: 'Delete your own API key',
    description: "Your chats use the provider's key again, if it has one.",
    scope: 'write',
    params: ProviderParams,
    answers: { 204: null },
    audit: { action: 'provider.delete_own_key' },
  }),
};
