import { z } from 'zod';
import { Uuid } from '../ids.ts';
import { JsonObject } from '../json.ts';
import { ModelConfig, ModelTest, Price, ProviderOffer, WebSearch } from '../model-config.ts';
import { Flag, NoNextCursor } from '../page.ts';
import { ReasoningEffort } from '../reasoning-effort.ts';
import { route } from '../route.ts';

const tag = 'Models';
const ModelConfigParams = z.strictObject({ model_config_id: Uuid.describe('The model config.') });

const MAX_TOKENS = 100_000_000;

const Model = z.string().trim().min(1).max(300);
const DisplayName = z.string().trim().min(1).max(200);
const ContextLimit = z.int().positive().max(MAX_TOKENS);
const Threshold = z.int().min(0).max(100);

const Effort = z
  .strictObject({
    default: ReasoningEffort.describe('For chats that ask for none. Not more than `max`.'),
    max: ReasoningEffort.describe('What is asked for beyond it is lowered to it.'),
  })
  .refine(
    (effort) =>
      ReasoningEffort.options.indexOf(effort.default) <=
      ReasoningEffort.options.indexOf(effort.max),
    'default must not be more than max',
  );

const Domain = z
  .string()
  .max(253)
  .regex(
    /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?\.)+[a-z0-9-]{2,63}(?:\/\S*)?$/i,
    'must be a domain',
  );
const Domains = z.array(Domain).min(1).max(100);

const ProviderId = Uuid.describe('The provider that it is a model of.');
const MODEL = {
  description: 'As the provider names it, see `listModels`; with Azure, the deployment.',
  examples: ['claude-sonnet-5-5'],
};
const DISPLAY_NAME = 'As people see it.';
const CONTEXT_LIMIT = 'How many tokens fit into a prompt and its answer.';
const COMPACTION =
  'Percent of the context limit at which the history is summarised; 100 is never by itself.';
const ENABLED = 'Chats may use it.';
const IS_DEFAULT = 'New chats that name no model get it, instead of the one before.';

/** Null takes away what was set; in a new config, what would be taken from the catalogue. */
const tuning = {
  max_output_tokens: z
    .int()
    .positive()
    .max(MAX_TOKENS)
    .nullable()
    .optional()
    .describe(
      'How many tokens an answer may have. Null: as the provider has it, and so unless given; for well-known models of Anthropic, what the catalogue says.',
    ),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .nullable()
    .optional()
    .describe('How freely words are chosen. Null, and so unless given: as the provider has it.'),
  top_p: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .optional()
    .describe(
      'Only the likeliest words that make up so much of all probability. Null, and so unless given: as the provider has it.',
    ),
  top_k: z
    .int()
    .positive()
    .max(100_000)
    .nullable()
    .optional()
    .describe(
      'Only so many of the likeliest words. Null, and so unless given: as the provider has it.',
    ),
  presence_penalty: z
    .number()
    .min(-2)
    .max(2)
    .nullable()
    .optional()
    .describe(
      'Penalty for tokens that have already appeared, from -2 to 2. Providers without this parameter ignore it. Default: null, the default of the provider.',
    ),
  frequency_penalty: z
    .number()
    .min(-2)
    .max(2)
    .nullable()
    .optional()
    .describe(
      'Penalty for tokens in proportion to how often they have appeared, from -2 to 2. Providers without this parameter ignore it. Default: null, the default of the provider.',
    ),
  reasoning_effort: Effort.nullable()
    .optional()
    .describe(
      'How much chats think, and how much they may ask for. Null, and so unless given: no bounds.',
    ),
  price: z
    .strictObject(Price.shape)
    .nullable()
    .optional()
    .describe(
      'Per million tokens, in millionths of the currency that you count in. Null: not known. What the catalogue says unless given.',
    ),
  web_search: z
    .strictObject({
      ...WebSearch.shape,
      allowed_domains: Domains.optional().meta(WebSearch.shape.allowed_domains.meta() ?? {}),
      blocked_domains: Domains.optional().meta(WebSearch.shape.blocked_domains.meta() ?? {}),
    })
    .nullable()
    .optional()
    .describe("The provider's own search; `{}` turns it on. Null, and so unless given: it is off."),
  provider_options: JsonObject.nullable()
    .optional()
    .meta({
      description:
        "What the provider's AI SDK package knows besides, by the package's own name. What it does not know, what chatd sets itself and what would hold a secret is refused. Null, and so unless given: nothing.",
      examples: [{ openai: { serviceTier: 'flex' } }],
    }),
  title_model_config_id: Uuid.nullable()
    .optional()
    .describe(
      'Another model that finds titles; if it cannot be called, this one does. Null, and so unless given: this one.',
    ),
  summary_model_config_id: Uuid.nullable()
    .optional()
    .describe(
      'Another model that summarises; if it cannot be called, this one does. Null, and so unless given: this one.',
    ),
};

export const modelConfigRoutes = {
  listModelConfigs: route({
    method: 'get',
    path: '/model-configs',
    tag,
    summary: 'List the models that chats can use',
    description: 'The default first, then by name. Admins see those that are disabled, too.',
    scope: 'read',
    answers: {
      200: z.object({
        model_configs: z.array(ModelConfig).describe('All of them.'),
        next_cursor: NoNextCursor,
      }),
    },
    refusals: [],
  }),
  createModelConfig: route({
    method: 'post',
    path: '/model-configs',
    tag,
    summary: 'Add a model; what is not given is taken from the catalogue of known models',
    description:
      'Name, context limit and price of well-known models are copied from the catalogue, which later versions of it do not change. All options must mean something to the provider.',
    scope: 'admin',
    body: z.strictObject({
      provider_id: ProviderId,
      model: Model.meta(MODEL),
      display_name: DisplayName.optional().describe(
        `${DISPLAY_NAME} What the catalogue says unless given, else the model itself.`,
      ),
      context_limit: ContextLimit.optional().describe(
        `${CONTEXT_LIMIT} Needed for a model that is not in the catalogue.`,
      ),
      compaction_threshold: Threshold.optional().describe(`${COMPACTION} 70 unless given.`),
      ...tuning,
      enabled: z.boolean().default(true).describe(ENABLED),
      is_default: z.boolean().default(false).describe(IS_DEFAULT),
    }),
    answers: { 201: ModelConfig },
    refusals: ['unknown_provider', 'unknown_model_config'],
  }),
  getModelConfig: route({
    method: 'get',
    path: '/model-configs/{model_config_id}',
    tag,
    summary: 'Get a model, enabled or not',
    description: 'With what only admins see.',
    scope: 'admin',
    params: ModelConfigParams,
    answers: { 200: ModelConfig },
    refusals: [],
  }),
  updateModelConfig: route({
    method: 'patch',
    path: '/model-configs/{model_config_id}',
    tag,
    summary: 'Change a model; null takes a setting away',
    description:
      'What is left out stays as it is. It counts from the next model call on, on other servers within 5 seconds.',
    scope: 'admin',
    params: ModelConfigParams,
    body: z
      .strictObject({
        provider_id: ProviderId.optional(),
        model: Model.optional().meta(MODEL),
        display_name: DisplayName.optional().describe(DISPLAY_NAME),
        context_limit: ContextLimit.optional().describe(CONTEXT_LIMIT),
        compaction_threshold: Threshold.optional().describe(COMPACTION),
        ...tuning,
        enabled: z.boolean().optional().describe(ENABLED),
        is_default: z
          .boolean()
          .optional()
          .describe(`${IS_DEFAULT} The default itself cannot be set to false.`),
      })
      .meta({ examples: [{ temperature: 0.2 }] }),
    answers: { 200: ModelConfig },
    refusals: ['unknown_provider', 'unknown_model_config'],
  }),
  deleteModelConfig: route({
    method: 'delete',
    path: '/model-configs/{model_config_id}',
    tag,
    summary: 'Delete a model that no chat uses',
    description:
      'Disable it instead where chats use it. If it was the default, another one becomes it.',
    scope: 'admin',
    params: ModelConfigParams,
    answers: { 204: null },
    refusals: ['model_config_in_use'],
  }),
  testModelConfig: route({
    method: 'post',
    path: '/model-configs/{model_config_id}/test',
    tag,
    summary: 'Ask the model for a word, and say what happened',
    description:
      'The way chats do it, with all options. It costs what a short answer costs and is not in the books. What goes wrong is part of the answer, not a refusal.',
    scope: 'admin',
    params: ModelConfigParams,
    answers: { 200: ModelTest },
    refusals: [],
    secret: true,
  }),
  listModels: route({
    method: 'get',
    path: '/models',
    tag,
    summary: 'What each enabled provider offers, with what is known of its models',
    description:
      'Providers are really asked, at most once a minute. One that cannot be asked says why, and the others are listed all the same.',
    scope: 'admin',
    query: z.strictObject({
      refresh: Flag.optional().describe(
        'Ask again, though it was asked less than a minute ago. False unless given.',
      ),
    }),
    answers: {
      200: z.object({
        providers: z
          .array(ProviderOffer)
          .describe('Those that are enabled, in the order in which they were added.'),
        catalogue_date: z.iso
          .date()
          .describe('The day of the prices and limits that are shipped with this version.'),
        next_cursor: NoNextCursor,
      }),
    },
    refusals: ['invalid_query'],
  }),
};
