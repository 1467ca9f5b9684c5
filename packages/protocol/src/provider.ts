import { z } from 'zod';
import { ChatError } from './chat-error.ts';
import { enumeration } from './enumeration.ts';
import { Timestamp, Uuid } from './ids.ts';
import { JsonObject } from './json.ts';

/** What speaks to the models: one AI SDK package each, and the demo, which needs none. */
export const ProviderType = enumeration('ProviderType', 'What speaks to the models.', {
  anthropic: 'Anthropic',
  openai: 'OpenAI, over Responses, or Chat Completions with the option `api`',
  google: 'Gemini',
  azure: 'Azure OpenAI; models are named by their deployment',
  bedrock: 'Amazon Bedrock',
  'openai-compatible':
    'any service that speaks Chat Completions: Ollama, LM Studio, vLLM; needs a `base_url`',
  openrouter: 'OpenRouter',
  vercel: "Vercel's AI Gateway",
  demo: 'the demo model, built in: no key, no network. It cannot be added',
});
export type ProviderType = z.infer<typeof ProviderType>;

/** Members see those that take keys of their own, without what only an admin may know. */
export const Provider = z
  .object({
    id: Uuid.describe('What model configs name as `provider_id`.'),
    type: ProviderType.describe('What speaks to it. It does not change.'),
    name: z.string().meta({ description: 'As people see it.', examples: ['Anthropic'] }),
    enabled: z.boolean().describe('Its models can be used.'),
    allow_user_keys: z
      .boolean()
      .describe(
        "Users may bring keys of their own, which go before the provider's in their chats.",
      ),
    has_own_key: z.boolean().describe('You have brought one.'),
    base_url: z
      .string()
      .optional()
      .describe(
        'Where it is called. Absent: at its usual address. For admins only, as all that follows.',
      ),
    options: JsonObject.optional().meta({
      description: 'What its type can be told besides; `{}` if there is nothing.',
      examples: [{ api: 'chat' }],
    }),
    has_api_key: z
      .boolean()
      .optional()
      .describe(
        'There is a key for it, stored or in the environment. Keys themselves are never shown.',
      ),
    key_source: z
      .enum(['stored', 'environment'])
      .nullable()
      .optional()
      .describe(
        '`stored`: encrypted in the database. `environment`: in variables of the server. Null: neither.',
      ),
    built_in: z.boolean().optional().describe('The demo: it can be disabled, and not deleted.'),
    created_at: Timestamp.optional().describe('When it was added: the order of lists.'),
  })
  .meta({
    id: 'Provider',
    description:
      'An account at a service, or a server of your own, that speaks to models. Members see those that take keys of users, up to `has_own_key`.',
  });
export type Provider = z.infer<typeof Provider>;

export const ApiKey = z
  .string()
  .regex(/^[\x21-\x7e]{8,8192}$/, 'must be 8 to 8192 visible ASCII characters, without spaces');

/** For Bedrock, instead of an API key. */
export const AwsCredentials = z
  .strictObject({
    access_key_id: ApiKey.describe(
      'Which key it is. 8 to 8,192 visible ASCII characters, as the others.',
    ),
    secret_access_key: ApiKey.describe('What requests are signed with.'),
    session_token: ApiKey.optional().describe('Of temporary credentials; left out with others.'),
  })
  .meta({
    id: 'AwsCredentials',
    description: 'For `bedrock`, instead of an API key. Write-only, and stored encrypted.',
  });

/** What happened when a provider was asked. */
export const ProviderTest = z
  .object({
    ok: z.boolean().describe('It listed its models, and took the key.'),
    message: z.string().describe('What happened, and if it went wrong what to do, for people.'),
    latency_ms: z
      .int()
      .nonnegative()
      .describe('Milliseconds until it answered or failed; after 10 seconds it has failed.'),
    models_found: z
      .int()
      .nonnegative()
      .optional()
      .describe('How many models it offers. Absent if it failed.'),
    error: ChatError.optional().describe('Why it failed. Absent if it did not.'),
  })
  .meta({
    id: 'ProviderTest',
    description: 'What happened when a provider was asked for its models.',
  });
export type ProviderTest = z.infer<typeof ProviderTest>;
