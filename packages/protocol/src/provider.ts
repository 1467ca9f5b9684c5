import { z } from 'zod';
import { ChatError } from './chat-error.ts';
import { enumeration } from './enumeration.ts';
import { Timestamp, Uuid } from './ids.ts';
import { JsonObject } from './json.ts';

/** Each type has its own AI SDK package, except the demo. */
export const ProviderType = enumeration('ProviderType', 'Type of a provider.', {
  anthropic: 'Anthropic',
  openai: 'OpenAI, with the Responses API, or Chat Completions if the option `api` is `chat`',
  google: 'Gemini',
  azure: 'Azure OpenAI; models are deployment names',
  bedrock: 'Amazon Bedrock',
  'openai-compatible':
    'any service with a Chat Completions API, such as Ollama, LM Studio or vLLM; requires `base_url`',
  openrouter: 'OpenRouter',
  vercel: 'Vercel AI Gateway',
  demo: 'the built-in demo model, which needs no key and no network. It cannot be added',
});
export type ProviderType = z.infer<typeof ProviderType>;

/** Members see only providers with `allow_user_keys`, and of those only the fields up to `has_own_key`. */
export const Provider = z
  .object({
    id: Uuid.describe('ID of the provider, for `provider_id` of model configs.'),
    type: ProviderType.describe('Type of the provider. Cannot be changed.'),
    name: z.string().meta({ description: 'Name shown to users.', examples: ['Anthropic'] }),
    enabled: z.boolean().describe('True if its models can be used.'),
    allow_user_keys: z
      .boolean()
      .describe(
        "True if users can store their own API keys, which take precedence over the provider's key in their chats.",
      ),
    has_own_key: z.boolean().describe('True if you have stored your own API key.'),
    base_url: z
      .string()
      .optional()
      .describe(
        "Base URL for API calls. Absent: the provider's default. This and all following fields are visible to admins only.",
      ),
    options: JsonObject.optional().meta({
      description: 'Additional options of the provider type. Empty if there are none.',
      examples: [{ api: 'chat' }],
    }),
    has_api_key: z
      .boolean()
      .optional()
      .describe('True if an API key is stored or set in the environment. Keys are never returned.'),
    key_source: z
      .enum(['stored', 'environment'])
      .nullable()
      .optional()
      .describe(
        '`stored`: encrypted in the database. `environment`: in environment variables of the server. Null: no key.',
      ),
    built_in: z
      .boolean()
      .optional()
      .describe('True for the demo provider, which can be disabled but not deleted.'),
    created_at: Timestamp.optional().describe('Creation time. Lists are sorted by it.'),
  })
  .meta({
    id: 'Provider',
    description:
      'A model provider: an account at a service, or your own server. Members see only providers that accept user keys, with the fields up to `has_own_key`.',
  });
export type Provider = z.infer<typeof Provider>;

export const ApiKey = z
  .string()
  .regex(/^[\x21-\x7e]{8,8192}$/, 'must be 8 to 8192 visible ASCII characters, without spaces');

export const AwsCredentials = z
  .strictObject({
    access_key_id: ApiKey.describe(
      'Access key ID. 8 to 8,192 visible ASCII characters, like the other fields.',
    ),
    secret_access_key: ApiKey.describe('Secret access key.'),
    session_token: ApiKey.optional().describe(
      'Session token of temporary credentials. Omit it for other credentials.',
    ),
  })
  .meta({
    id: 'AwsCredentials',
    description:
      'AWS credentials for `bedrock`, instead of an API key. Write-only and stored encrypted.',
  });

export const ProviderTest = z
  .object({
    ok: z.boolean().describe('True if the provider accepted the key and listed its models.'),
    message: z
      .string()
      .describe('Result of the test, and what to do if it failed, as text for users.'),
    latency_ms: z
      .int()
      .nonnegative()
      .describe(
        'Time until the provider responded or the test failed, in milliseconds. Timeout: 10 seconds.',
      ),
    models_found: z
      .int()
      .nonnegative()
      .optional()
      .describe('Number of offered models. Absent if the test failed.'),
    error: ChatError.optional().describe('Why the test failed. Absent if it succeeded.'),
  })
  .meta({
    id: 'ProviderTest',
    description: 'Result of a connection test of a provider.',
  });
export type ProviderTest = z.infer<typeof ProviderTest>;
