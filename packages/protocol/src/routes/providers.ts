import { z } from 'zod';
import { Uuid } from '../ids.ts';
import { JsonObject } from '../json.ts';
import { ApiKey, AwsCredentials, Provider, ProviderTest, ProviderType } from '../provider.ts';
import { route } from '../route.ts';

const tag = 'Providers';
const ProviderParams = z.strictObject({ provider_id: Uuid });

const Name = z.string().trim().min(1).max(100);
const BaseUrl = z
  .string()
  .min(1)
  .max(2000)
  .describe("As the provider's package takes it: with /v1");

export const providerRoutes = {
  listProviders: route({
    method: 'get',
    path: '/providers',
    tag,
    summary: 'List providers; as a member, those that take a key of your own',
    scope: 'read',
    answers: { 200: z.object({ providers: z.array(Provider) }) },
    refusals: [],
  }),
  createProvider: route({
    method: 'post',
    path: '/providers',
    tag,
    summary: 'Add a provider of models',
    scope: 'admin',
    body: z.strictObject({
      type: ProviderType.exclude(['demo']),
      name: Name,
      base_url: BaseUrl.optional(),
      api_key: ApiKey.optional(),
      aws_credentials: AwsCredentials.optional(),
      options: JsonObject.optional().describe('What this type can be told besides'),
      enabled: z.boolean().default(true),
      allow_user_keys: z.boolean().default(false),
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
    scope: 'admin',
    params: ProviderParams,
    body: z.strictObject({
      name: Name.optional(),
      base_url: BaseUrl.nullable().optional(),
      api_key: ApiKey.nullable().optional(),
      aws_credentials: AwsCredentials.nullable().optional(),
      options: JsonObject.optional(),
      enabled: z.boolean().optional(),
      allow_user_keys: z.boolean().optional(),
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
    scope: 'write',
    params: ProviderParams,
    body: z.strictObject({ api_key: ApiKey }),
    answers: { 204: null },
    refusals: ['secret_key_required'],
    secret: true,
  }),
  deleteOwnKey: route({
    method: 'delete',
    path: '/providers/{provider_id}/key',
    tag,
    summary: 'Take your own key back',
    scope: 'write',
    params: ProviderParams,
    answers: { 204: null },
    refusals: [],
  }),
};
