import { z } from 'zod';
import { ChatError } from './chat-error.ts';
import { GroupIds } from './group.ts';
import { Uuid } from './ids.ts';
import { JsonObject } from './json.ts';
import { Usage } from './message.ts';
import { ProviderType } from './provider.ts';
import { ReasoningEffort } from './reasoning-effort.ts';

const micros = z.int().nonnegative();

export const Price = z
  .object({
    input: micros.meta({
      description:
        "Price of input tokens that are neither read from nor written to the provider's cache.",
      examples: [3_000_000],
    }),
    output: micros.meta({
      description: 'Price of output tokens, including reasoning.',
      examples: [15_000_000],
    }),
    cache_read: micros.optional().meta({
      description: "Price of input tokens read from the provider's cache. Default: `input`.",
      examples: [300_000],
    }),
    cache_write: micros.optional().meta({
      description: "Price of input tokens written to the provider's cache. Default: `input`.",
      examples: [3_750_000],
    }),
  })
  .meta({
    id: 'Price',
    description:
      'Prices per million tokens, in millionths of a US dollar: 3,000,000 means 3.00 per million tokens. 0 is a valid price.',
  });
export type Price = z.infer<typeof Price>;

export const WebSearch = z
  .object({
    allowed_domains: z
      .array(z.string())
      .optional()
      .meta({
        description:
          'Domains to search. Default: all. Supported by Anthropic, OpenAI, Azure and OpenRouter.',
        examples: [['example.org']],
      }),
    blocked_domains: z
      .array(z.string())
      .optional()
      .meta({
        description:
          'Domains to exclude. Default: none. Supported by Anthropic, OpenAI, Azure and OpenRouter.',
        examples: [['example.com']],
      }),
    context_size: z
      .enum(['low', 'medium', 'high'])
      .optional()
      .describe(
        'Amount of search results passed to the model. Default: set by the provider. Supported by OpenAI, Azure and OpenRouter.',
      ),
  })
  .meta({
    id: 'WebSearch',
    description: 'Web search by the provider. `{}` enables it with default settings.',
  });
export type WebSearch = z.infer<typeof WebSearch>;

export const ModelConfig = z
  .object({
    id: Uuid.describe('ID of the model config, for `model_config_id` of chats and messages.'),
    provider_id: Uuid.describe('Provider of the model.'),
    model: z.string().meta({
      description: 'Model name at the provider. With Azure, the deployment name.',
      examples: ['claude-sonnet-5-5'],
    }),
    display_name: z
      .string()
      .meta({ description: 'Name shown to users.', examples: ['Claude Sonnet 5.5'] }),
    context_limit: z
      .int()
      .positive()
      .meta({
        description: 'Context limit in tokens, for prompt and response together.',
        examples: [200_000],
      }),
    compaction_threshold: z
      .int()
      .min(0)
      .max(100)
      .describe(
        'Percentage of the context limit at which the history is summarized. 100: never automatically.',
      ),
    max_output_tokens: z
      .int()
      .positive()
      .optional()
      .describe("Max output tokens of a response. Absent: the provider's default."),
    temperature: z
      .number()
      .min(0)
      .optional()
      .describe("Sampling temperature, 0 or greater. Absent: the provider's default."),
    top_p: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        "Nucleus sampling: the probability mass of candidate tokens, 0 to 1. Absent: the provider's default.",
      ),
    top_k: z
      .int()
      .positive()
      .optional()
      .describe("Number of candidate tokens for sampling. Absent: the provider's default."),
    presence_penalty: z
      .number()
      .min(-2)
      .max(2)
      .optional()
      .describe(
        "Penalty for tokens that have already appeared, -2 to 2. Absent: the provider's default.",
      ),
    frequency_penalty: z
      .number()
      .min(-2)
      .max(2)
      .optional()
      .describe(
        "Penalty for tokens in proportion to their frequency, -2 to 2. Absent: the provider's default.",
      ),
    reasoning_effort: z
      .object({
        default: ReasoningEffort.describe('Effort for chats that do not set one.'),
        max: ReasoningEffort.describe('Upper limit. Higher efforts are lowered to it.'),
      })
      .optional()
      .describe(
        "Default and maximum reasoning effort. Absent: the effort of the chat, else the provider's default.",
      ),
    price: Price.optional().describe(
      'Price of new calls; earlier calls keep their cost. Absent: the cost of calls is unknown, and they do not count toward spend limits.',
    ),
    web_search: WebSearch.optional().describe('Web search by the provider. Absent: off.'),
    provider_options: JsonObject.optional().meta({
      description:
        "Additional options for the AI SDK package of the provider, under the package's name. Absent if there are none. Visible to admins only.",
      examples: [{ openai: { serviceTier: 'flex' } }],
    }),
    title_model_config_id: Uuid.nullable()
      .optional()
      .describe(
        'Model that generates titles for chats with this model. Null: this model. Visible to admins only.',
      ),
    group_ids: GroupIds.optional().describe(
      'Groups whose members can use the model. Null: all users. Empty: only admins. Visible to admins only.',
    ),
    summary_model_config_id: Uuid.nullable()
      .optional()
      .describe(
        'Model that summarizes chats with this model. Null: this model. Visible to admins only.',
      ),
    enabled: z
      .boolean()
      .describe(
        'True if chats can use the model. Members see only models that are enabled and have an enabled provider.',
      ),
    is_default: z
      .boolean()
      .describe('True for the default model of new chats. Exactly one model is the default.'),
  })
  .meta({
    id: 'ModelConfig',
    description: 'A configured model of a provider, which chats refer to.',
  });
export type ModelConfig = z.infer<typeof ModelConfig>;

export const ModelTest = z
  .object({
    ok: z.boolean().describe('True if the model responded.'),
    message: z
      .string()
      .describe('Result of the test, and what to do if it failed, as text for users.'),
    latency_ms: z
      .int()
      .nonnegative()
      .describe('Time until the response was complete or the test failed, in milliseconds.'),
    text: z
      .string()
      .optional()
      .describe('Response of the model. At most 1,000 characters. Absent if the test failed.'),
    usage: Usage.optional().describe(
      'Token counts of the call. Absent if the test failed or the provider did not report them.',
    ),
    cost_micros: z
      .int()
      .nonnegative()
      .nullable()
      .optional()
      .describe(
        'Cost of the call, in millionths of a US dollar. Not part of usage reports. Null: unknown. Absent if the test failed.',
      ),
    error: ChatError.optional().describe('Why the test failed. Absent if it succeeded.'),
  })
  .meta({ id: 'ModelTest', description: 'Result of a test call to a model.' });
export type ModelTest = z.infer<typeof ModelTest>;

export const OfferedModel = z
  .object({
    id: z.string().meta({
      description: 'Model name at the provider, for `model` of a model config.',
      examples: ['claude-sonnet-5-5'],
    }),
    name: z
      .string()
      .optional()
      .meta({
        description: 'Display name. Absent if unknown.',
        examples: ['Claude Sonnet 5.5'],
      }),
    context_limit: z
      .int()
      .positive()
      .optional()
      .describe('Context limit in tokens. Absent if unknown.'),
    max_output_tokens: z
      .int()
      .positive()
      .optional()
      .describe('Max output tokens of a response. Absent if unknown.'),
    price: Price.optional().describe('List price. Absent if unknown.'),
    reasoning: z
      .boolean()
      .optional()
      .describe('True if the model supports reasoning. Absent if the model is not in the catalog.'),
    reasoning_effort: ModelConfig.shape.reasoning_effort.describe(
      'Suggested reasoning effort, for `reasoning_effort` of a model config. Absent if the model is not a known reasoning model.',
    ),
    suggested: z
      .literal(true)
      .optional()
      .describe('True for the suggested first model of the provider. Absent for all others.'),
    vision: z
      .boolean()
      .optional()
      .describe('True if the model accepts images. Absent if the model is not in the catalog.'),
    note: z.string().optional().describe('Remark on the price. Absent if there is none.'),
    configured: z.boolean().describe('True if a model config exists for the model.'),
  })
  .meta({
    id: 'OfferedModel',
    description:
      'A model that a provider offers, described by the provider or by the built-in catalog.',
  });
export type OfferedModel = z.infer<typeof OfferedModel>;

export const ProviderOffer = z
  .object({
    provider_id: Uuid.describe('ID of the provider, for `provider_id` of a model config.'),
    type: ProviderType.describe('Type of the provider.'),
    name: z.string().describe('Name of the provider.'),
    models: z.array(OfferedModel).describe('Offered models, sorted by ID.'),
    error: ChatError.optional().describe(
      'Why the models could not be listed. `models` then comes from the built-in catalog. Absent if they could.',
    ),
  })
  .meta({ id: 'ProviderOffer', description: 'The models of an enabled provider.' });
export type ProviderOffer = z.infer<typeof ProviderOffer>;
