import { z } from 'zod';
import { ChatError } from './chat-error.ts';
import { Uuid } from './ids.ts';
import { JsonObject } from './json.ts';
import { Usage } from './message.ts';
import { ProviderType } from './provider.ts';
import { ReasoningEffort } from './reasoning-effort.ts';

const micros = z.int().nonnegative();

/** Per million tokens, in millionths of the currency unit. */
export const Price = z
  .object({
    input: micros.meta({
      description: "Of the prompt, without what touches the provider's cache.",
      examples: [3_000_000],
    }),
    output: micros.meta({
      description: 'Of all that the model writes, its reasoning included.',
      examples: [15_000_000],
    }),
    cache_read: micros.optional().meta({
      description: "Of what comes from the provider's cache. Absent: as `input`.",
      examples: [300_000],
    }),
    cache_write: micros.optional().meta({
      description: "Of what goes into the provider's cache. Absent: as `input`.",
      examples: [3_750_000],
    }),
  })
  .meta({
    id: 'Price',
    description:
      'Per million tokens, in millionths of the currency that you count in: 3,000,000 is 3.00 for a million tokens. 0 is a price, too.',
  });
export type Price = z.infer<typeof Price>;

export const WebSearch = z
  .object({
    allowed_domains: z
      .array(z.string())
      .optional()
      .meta({
        description:
          'Search these alone. Absent: everywhere. Anthropic, OpenAI, Azure and OpenRouter take it.',
        examples: [['example.org']],
      }),
    blocked_domains: z
      .array(z.string())
      .optional()
      .meta({
        description:
          'Leave these out. Absent: none. Anthropic, OpenAI, Azure and OpenRouter take it.',
        examples: [['example.com']],
      }),
    context_size: z
      .enum(['low', 'medium', 'high'])
      .optional()
      .describe(
        'How much of what is found the model is given. Absent: as the provider has it. OpenAI, Azure and OpenRouter take it.',
      ),
  })
  .meta({
    id: 'WebSearch',
    description: "The provider's own web search; `{}` turns it on as it is.",
  });
export type WebSearch = z.infer<typeof WebSearch>;

/** A model as an admin configured it: what a chat names to say by whom it is answered. */
export const ModelConfig = z
  .object({
    id: Uuid.describe('What chats and messages name as `model_config_id`.'),
    provider_id: Uuid.describe('The provider that it is a model of.'),
    model: z.string().meta({
      description: 'As the provider names it; with Azure, the deployment.',
      examples: ['claude-sonnet-5-5'],
    }),
    display_name: z
      .string()
      .meta({ description: 'As people see it.', examples: ['Claude Sonnet 5.5'] }),
    context_limit: z
      .int()
      .positive()
      .meta({
        description: 'How many tokens fit into a prompt and its answer.',
        examples: [200_000],
      }),
    compaction_threshold: z
      .int()
      .min(0)
      .max(100)
      .describe(
        'Percent of the context limit at which the history is summarised. 100: never by itself.',
      ),
    max_output_tokens: z
      .int()
      .positive()
      .optional()
      .describe('How many tokens an answer may have. Absent: as the provider has it.'),
    temperature: z
      .number()
      .min(0)
      .optional()
      .describe('How freely words are chosen, from 0. Absent: as the provider has it.'),
    top_p: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        'Only the likeliest words that make up so much of all probability. Absent: as the provider has it.',
      ),
    top_k: z
      .int()
      .positive()
      .optional()
      .describe('Only so many of the likeliest words. Absent: as the provider has it.'),
    presence_penalty: z
      .number()
      .min(-2)
      .max(2)
      .optional()
      .describe(
        'Penalty for tokens that have already appeared, from -2 to 2. Absent: the default of the provider.',
      ),
    frequency_penalty: z
      .number()
      .min(-2)
      .max(2)
      .optional()
      .describe(
        'Penalty for tokens in proportion to how often they have appeared, from -2 to 2. Absent: the default of the provider.',
      ),
    reasoning_effort: z
      .object({
        default: ReasoningEffort.describe('For chats that ask for none.'),
        max: ReasoningEffort.describe('What is asked for beyond it is lowered to it.'),
      })
      .optional()
      .describe('Absent: chats get what they ask for, else what the provider has.'),
    price: Price.optional().describe(
      'For new calls; those that were made keep their cost. Absent: calls have no known cost, and do not count against spend limits.',
    ),
    web_search: WebSearch.optional().describe("The provider's own search. Absent: it is off."),
    provider_options: JsonObject.optional().meta({
      description:
        "What the provider's AI SDK package knows besides, by the package's own name. For admins only; absent if there is nothing.",
      examples: [{ openai: { serviceTier: 'flex' } }],
    }),
    title_model_config_id: Uuid.nullable()
      .optional()
      .describe(
        'Another model that finds titles for chats of this one. Null: this one. For admins only.',
      ),
    summary_model_config_id: Uuid.nullable()
      .optional()
      .describe(
        'Another model that summarises chats of this one. Null: this one. For admins only.',
      ),
    enabled: z
      .boolean()
      .describe(
        'Chats may use it. Members see only those that they can use: the provider is enabled, too.',
      ),
    is_default: z.boolean().describe('New chats that name no model get it. There is exactly one.'),
  })
  .meta({
    id: 'ModelConfig',
    description: 'A model of a provider, set up: what a chat names to say by whom it is answered.',
  });
export type ModelConfig = z.infer<typeof ModelConfig>;

/** What happened when a model was asked for a word. */
export const ModelTest = z
  .object({
    ok: z.boolean().describe('It answered.'),
    message: z.string().describe('What happened, and if it went wrong what to do, for people.'),
    latency_ms: z
      .int()
      .nonnegative()
      .describe('Milliseconds until the answer was complete, or until it failed.'),
    text: z
      .string()
      .optional()
      .describe('What it answered, at most 1,000 characters. Absent if it failed.'),
    usage: Usage.optional().describe(
      'Tokens of the call. Absent if it failed, or the provider did not say.',
    ),
    cost_micros: z
      .int()
      .nonnegative()
      .nullable()
      .optional()
      .describe(
        'What it cost, in millionths of the currency of the prices; it is not in the books. Null: not known. Absent if it failed.',
      ),
    error: ChatError.optional().describe('Why it failed. Absent if it did not.'),
  })
  .meta({ id: 'ModelTest', description: 'What happened when a model was asked for a word.' });
export type ModelTest = z.infer<typeof ModelTest>;

/** A model that a provider offers, with what it says of it and what is known otherwise. */
export const OfferedModel = z
  .object({
    id: z.string().meta({
      description: 'As the provider names it: `model` of a model config.',
      examples: ['claude-sonnet-5-5'],
    }),
    name: z
      .string()
      .optional()
      .meta({
        description: 'As people call it. Absent if nobody says.',
        examples: ['Claude Sonnet 5.5'],
      }),
    context_limit: z
      .int()
      .positive()
      .optional()
      .describe('How many tokens fit into its context. Absent if that is not known.'),
    max_output_tokens: z
      .int()
      .positive()
      .optional()
      .describe('How many tokens an answer may have. Absent if that is not known.'),
    price: Price.optional().describe('Its list price. Absent if that is not known.'),
    reasoning: z
      .boolean()
      .optional()
      .describe('It can think before it answers. Absent if the model is not in the catalogue.'),
    vision: z
      .boolean()
      .optional()
      .describe('It can see images. Absent if the model is not in the catalogue.'),
    note: z
      .string()
      .optional()
      .describe('What the price does not say. Absent if there is nothing.'),
    configured: z.boolean().describe('There is a model config for it.'),
  })
  .meta({
    id: 'OfferedModel',
    description:
      'A model that a provider offers: what the provider says of it, and else what the catalogue of this version knows.',
  });
export type OfferedModel = z.infer<typeof OfferedModel>;

export const ProviderOffer = z
  .object({
    provider_id: Uuid.describe('The provider: `provider_id` of a model config.'),
    type: ProviderType.describe('What speaks to it.'),
    name: z.string().describe('As an admin called it.'),
    models: z.array(OfferedModel).describe('What it offers, by id.'),
    error: ChatError.optional().describe(
      'Why it could not be asked; `models` are then those of the catalogue. Absent if it could.',
    ),
  })
  .meta({ id: 'ProviderOffer', description: 'What one enabled provider offers.' });
export type ProviderOffer = z.infer<typeof ProviderOffer>;
