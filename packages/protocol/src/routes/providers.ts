import { z } from 'zod';
import { Uuid } from '../ids.ts';
import { JsonObject } from '../json.ts';
import { ApiKey, AwsCredentials, Provider, ProviderTest, ProviderType } from '../provider.ts';
import { NoNextCursor } from '../page.ts';
import { route } from '../route.ts';

const tag = 'Providers';
const ProviderParams = z.strictObject({ provider_id: Uuid.describe('The provider.') });

const Name = z.string().trim().min(1).max(100);
const BaseUrl = z.string().min(1).max(2000);

const WORDS = {
  name: { description: 'What to call it, for people.', examples: ['Anthropic'] },
  base_url: {
    description:
      'Where to call it, as its AI SDK package takes it: with `/v1`. Needed for `openai-compatible`, and for `azure` without `options.resource_name`; else its usual address. Private addresses may be refused.',
    examples: ['http://127.0.0.1:11434/v1'],
  },
  api_key: {
    description: 'Its key: 8 to 8,192 visible ASCII characters. Write-only, and stored encrypted.',
    examples: ['sk-0123456789'],
  },
  options: {
    description:
      'What its type can be told besides: `api`, `organization`, `project` (`openai`); `resource_name`, `api`, `api_version`, `deployment_urls` (`azure`); `region`, `model_family` (`bedrock`); `media_in_tool_results` (`openai-compatible`); `app_name`, `app_url` (`openrouter`); `team` (`vercel`).',
    examples: [{ api: 'chat' }],
  },
  enabled: { description: 'Its models can be used.' },
  allow_user_keys: {
    description: 'Users may bring keys of their own, which go before its key in their chats.',
  },
};

export const providerRoutes = {
  listProviders: route({
    method: 'get',
    path: '/providers',
    tag,
    summary: 'List providers; as a member, those that take a key of your own',
    description:
      'In the order in which they were added. Admins with the scope `admin` see all of all of them.',
    scope: 'read',
    answers: {
      200: z.object({
        providers: z.array(Provider).describe('All of them.'),
        next_cursor: NoNextCursor,
      }),
    },
    refusals: [],
  }),
  createProvider: route({
    method: 'post',
    path: '/providers',
    tag,
    summary: 'Add a provider of models',
    description:
      'The address is checked, the key is not: `testProvider` does that. A provider has no models until `createModelConfig` adds some.',
    scope: 'admin',
    body: z
      .strictObject({
        type: ProviderType.exclude(['demo']).describe(
          'What speaks to it; `ProviderType` says what each is. It cannot be changed.',
        ),
        name: Name.meta(WORDS.name),
        base_url: BaseUrl.optional().meta(WORDS.base_url),
        api_key: ApiKey.optional().meta(WORDS.api_key),
        aws_credentials: AwsCredentials.optional().describe(
          'With `bedrock`, instead of a key. Write-only, and stored encrypted.',
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
  }),
  getProvider: route({
    method: 'get',
    path: '/providers/{provider_id}',
    tag,
    summary: 'Get a provider',
    description: 'Without its keys.',
    scope: 'admin',
    params: ProviderParams,
    answers: { 200: Provider },
    refusals: [],
  }),
  updateProvider: route({
    method: 'patch',
    path: '/providers/{provider_id}',
    tag,
    summary: 'Change a provider; null takes an address or a key away',
    description:
      'What is left out stays as it is. It counts from the next model call on, on other servers within 5 seconds.',
    scope: 'admin',
    params: ProviderParams,
    body: z.strictObject({
      name: Name.optional().meta(WORDS.name),
      base_url: BaseUrl.nullable()
        .optional()
        .meta({
          ...WORDS.base_url,
          description: `${WORDS.base_url.description} Null: its usual one.`,
        }),
      api_key: ApiKey.nullable()
        .optional()
        .meta({
          ...WORDS.api_key,
          description: `${WORDS.api_key.description} Null takes it away.`,
        }),
      aws_credentials: AwsCredentials.nullable()
        .optional()
        .describe('With `bedrock`, instead of a key. Write-only. Null takes them away.'),
      options: JsonObject.optional().meta({
        ...WORDS.options,
        description: `All of them: those that are not named are gone. ${WORDS.options.description}`,
      }),
      enabled: z.boolean().optional().meta(WORDS.enabled),
      allow_user_keys: z.boolean().optional().meta(WORDS.allow_user_keys),
    }),
    answers: { 200: Provider },
    refusals: ['url_not_allowed', 'secret_key_required'],
    secret: true,
  }),
  deleteProvider: route({
    method: 'delete',
    path: '/providers/{provider_id}',
    tag,
    summary: 'Delete a provider with its models, unless chats use one of them',
    description: 'Disable it instead where chats use it. Keys that users brought go with it.',
    scope: 'admin',
    params: ProviderParams,
    answers: { 204: null },
    refusals: ['built_in', 'provider_in_use'],
  }),
  testProvider: route({
    method: 'post',
    path: '/providers/{provider_id}/test',
    tag,
    summary: 'Ask the provider for its models, and say what happened',
    description:
      'It really calls the provider, with the key that is stored or in the environment, for at most 10 seconds. What goes wrong is part of the answer, not a refusal.',
    scope: 'admin',
    params: ProviderParams,
    answers: { 200: ProviderTest },
    refusals: [],
    secret: true,
  }),
  setOwnKey: route({
    method: 'post',
    path: '/providers/{provider_id}/key',
    tag,
    summary: 'Use a key of your own for this provider',
    description:
      "It replaces one that you brought before, and is used in your chats instead of the provider's. The provider must be enabled and take keys of users; else it is not found.",
    scope: 'write',
    params: ProviderParams,
    body: z.strictObject({
      api_key: ApiKey.meta({
        ...WORDS.api_key,
        description:
          'Your key: 8 to 8,192 visible ASCII characters. Write-only, and stored encrypted.',
      }),
    }),
    answers: { 204: null },
    refusals: ['secret_key_required'],
    secret: true,
  }),
  deleteOwnKey: route({
    method: 'delete',
    path: '/providers/{provider_id}/key',
    tag,
    summary: 'Take your own key back',
    description: "Your chats use the provider's key again, if it has one.",
    scope: 'write',
    params: ProviderParams,
    answers: { 204: null },
    refusals: [],
  }),
};
