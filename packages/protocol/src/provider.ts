import { z } from 'zod';
import { ChatError } from './chat-error.ts';
import { Timestamp, Uuid } from './ids.ts';
import { JsonObject } from './json.ts';

/** What speaks to the models: one AI SDK package each, and the demo, which needs none. */
export const ProviderType = z.enum([
  'anthropic',
  'openai',
  'google',
  'azure',
  'bedrock',
  'openai-compatible',
  'openrouter',
  'vercel',
  'demo',
]);
export type ProviderType = z.infer<typeof ProviderType>;

/** Members see those that take keys of their own, without what only an admin may know. */
export const Provider = z
  .object({
    id: Uuid,
    type: ProviderType,
    name: z.string(),
    enabled: z.boolean(),
    /** Users may bring keys of their own, which go before the provider's. */
    allow_user_keys: z.boolean(),
    /** The caller has one. */
    has_own_key: z.boolean(),
    base_url: z.string().optional(),
    options: JsonObject.optional(),
    /** Keys are never shown. */
    has_api_key: z.boolean().optional(),
    /** `stored`: encrypted in the database. `environment`: in variables of the server. */
    key_source: z.enum(['stored', 'environment']).nullable().optional(),
    /** It can be disabled, and not deleted. */
    built_in: z.boolean().optional(),
    created_at: Timestamp.optional(),
  })
  .meta({ id: 'Provider' });
export type Provider = z.infer<typeof Provider>;

export const ApiKey = z
  .string()
  .regex(/^[\x21-\x7e]{8,8192}$/, 'must be 8 to 8192 visible ASCII characters, without spaces');

/** For Bedrock, instead of an API key. */
export const AwsCredentials = z.strictObject({
  access_key_id: ApiKey,
  secret_access_key: ApiKey,
  session_token: ApiKey.optional(),
});

/** What happened when a provider was asked. */
export const ProviderTest = z
  .object({
    ok: z.boolean(),
    /** In words. */
    message: z.string(),
    latency_ms: z.int().nonnegative(),
    models_found: z.int().nonnegative().optional(),
    error: ChatError.optional(),
  })
  .meta({ id: 'ProviderTest' });
export type ProviderTest = z.infer<typeof ProviderTest>;
