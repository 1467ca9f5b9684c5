import { z } from 'zod';
import { GROUP_IDS, GroupIds } from '../group.ts';
import { Uuid } from '../ids.ts';
import { JsonObject } from '../json.ts';
import { ModelConfig, ModelTest, Price, ProviderOffer, WebSearch } from '../model-config.ts';
import { Flag, NoNextCursor } from '../page.ts';
import { ReasoningEffort } from '../reasoning-effort.ts';
import { routeWith } from '../route.ts';

const route = routeWith('Models');
const ModelConfigParams = z.strictObject({
  model_config_id: Uuid.describe('ID of the model config.'),
});

const MAX_TOKENS = 100_000_000;

const Model = z.string().trim().min(1).max(300);
const DisplayName = z.string().trim().min(1).max(200);
const ContextLimit = z.int().positive().max(MAX_TOKENS);
const Threshold = z.int().min(0).max(100);

const Effort = z
  .strictObject({
    default: ReasoningEffort.describe(
      'Effort for chats that do not set one. Not higher than `max`.',
    ),
    max: ReasoningEffort.describe('Upper limit. Higher efforts are lowered to it.'),
  })
  .refine(
    (effort) =>
      ReasoningEffort.options.indexOf(effort.default) <=
      ReasoningEffort.options.indexOf(effort.max),
    'default must not be higher than max',
  );

const Domain = z
  .string()
  .max(253)
  .regex(
    /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?\.)+[a-z0-9-]{2,63}(?:\/\S*)?$/i,
    'must be a domain',
  );
const Domains = z.array(Domain).min(1).max(100);

const ProviderId = Uuid.describe('Provider of the model.');
const MODEL = {
  description: 'Model name at the provider, from `listModels`. With Azure, the deployment name.',
  examples: ['claude-sonnet-5-5'],
};
const DISPLAY_NAME = 'Name shown to users.';
const CONTEXT_LIMIT = 'Context limit in tokens, for prompt and response together.';
const COMPACTION =
  'Percentage of the context limit at which the history is summarized. 100: never automatically.';
const ENABLED = 'Allows chats to use the model.';
const IS_DEFAULT = 'Makes it the default model of new chats, replacing the current default.';

/** Null clears a value; in a new config, it prevents the catalog's value. */
const tuning = {
  max_output_tokens: z
    .int()
    .positive()
    .max(MAX_TOKENS)
    .nullable()
    .optional()
    .describe(
      "Max output tokens of a response. Default: null, the provider's default; for well-known Anthropic models, the catalog's value.",
    ),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .nullable()
    .optional()
    .describe("Sampling temperature. Default: null, the provider's default."),
  top_p: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .optional()
    .describe(
      "Nucleus sampling: the probability mass of candidate tokens. Default: null, the provider's default.",
    ),
  top_k: z
    .int()
    .positive()
    .max(100_000)
    .nullable()
    .optional()
    .describe("Number of candidate tokens for sampling. Default: null, the provider's default."),
  presence_penalty: z
    .number()
    .min(-2)
    .max(2)
    .nullable()
    .optional()
    .describe(
      "Penalty for tokens that have already appeared, -2 to 2. Ignored by providers without this parameter. Default: null, the provider's default.",
    ),
  frequency_penalty: z
    .number()
    .min(-2)
    .max(2)
    .nullable()
    .optional()
    .describe(
      "Penalty for tokens in proportion to their frequency, -2 to 2. Ignored by providers without this parameter. Default: null, the provider's default.",
    ),
  reasoning_effort: Effort.nullable()
    .optional()
    .describe('Default and maximum reasoning effort of chats. Default: null, no bounds.'),
  price: z
    .strictObject(Price.shape)
    .nullable()
    .optional()
    .describe(
      "Prices per million tokens, in millionths of a US dollar. Null: unknown. Default: the catalog's price.",
    ),
  web_search: z
    .strictObject({
      ...WebSearch.shape,
      allowed_domains: Domains.optional().meta(WebSearch.shape.allowed_domains.meta() ?? {}),
      blocked_domains: Domains.optional().meta(WebSearch.shape.blocked_domains.meta() ?? {}),
    })
    .nullable()
    .optional()
    .describe('Web search by the provider. `{}` enables it. Default: null, off.'),
  provider_options: JsonObject.nullable()
    .optional()
    .meta({
      description:
        "Additional options for the AI SDK package of the provider, under the package's name. Unknown options, options that chatd sets itself and options for secrets are refused. Default: null, none.",
      examples: [{ openai: { serviceTier: 'flex' } }],
    }),
  group_ids: GroupIds.optional().describe(`${GROUP_IDS} Default: null.`),
  title_model_config_id: Uuid.nullable()
    .optional()
    .describe(
      'Model that generates titles. If it cannot be called, this model does. Default: null, this model.',
    ),
  summary_model_config_id: Uuid.nullable()
    .optional()
    .describe(
      'Model that summarizes chats. If it cannot be called, this model does. Default: null, this model.',
    ),
};

export const modelConfigRoutes = {
  listModelConfigs: route({
    method: 'get',
    path: '/model-configs',
    summary: 'List the models that chats can use',
    description:
      'The default model first, then by name. Models that are restricted to other groups are not listed. Admins see all models.',
    scope: 'read',
    answers: {
      200: z.object({
        model_configs: z.array(ModelConfig).describe('All visible models.'),
        next_cursor: NoNextCursor,
      }),
    },
  }),
  createModelConfig: route({
    method: 'post',
    path: '/model-configs',
    summary: 'Add a model',
    description:
      'Display name, context limit and price of well-known models are copied from the built-in catalog unless you set them; later catalog updates do not change them. Options that the provider does not support are refused.',
    scope: 'admin',
    body: z.strictObject({
      provider_id: ProviderId,
      model: Model.meta(MODEL),
      display_name: DisplayName.optional().describe(
        `${DISPLAY_NAME} Default: the catalog's name, else the model name.`,
      ),
      context_limit: ContextLimit.optional().describe(
        `${CONTEXT_LIMIT} Required if the model is not in the catalog.`,
      ),
      compaction_threshold: Threshold.optional().describe(`${COMPACTION} Default: 70.`),
      ...tuning,
      enabled: z.boolean().default(true).describe(ENABLED),
      is_default: z.boolean().default(false).describe(IS_DEFAULT),
    }),
    answers: { 201: ModelConfig },
    refusals: ['unknown_provider', 'unknown_model_config', 'unknown_group'],
    audit: {
      action: 'model_config.create',
      values: ['model', 'display_name', 'provider_id', 'group_ids'],
    },
  }),
  getModelConfig: route({
    method: 'get',
    path: '/model-configs/{model_config_id}',
    summary: 'Get a model, enabled or not',
    description: 'Includes the fields for admins.',
    scope: 'admin',
    params: ModelConfigParams,
    answers: { 200: ModelConfig },
  }),
  updateModelConfig: route({
    method: 'patch',
    path: '/model-configs/{model_config_id}',
    summary: 'Change a model; null clears a setting',
    description:
      'Omitted fields do not change. Applies to the next model call, on other servers within 5 seconds.',
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
          .describe(`${IS_DEFAULT} The default model cannot be set to false.`),
      })
      .meta({ examples: [{ temperature: 0.2 }] }),
    answers: { 200: ModelConfig },
    refusals: ['unknown_provider', 'unknown_model_config', 'unknown_group'],
    audit: {
      action: 'model_config.update',
      values: ['model', 'display_name', 'provider_id', 'group_ids'],
    },
  }),
  deleteModelConfig: route({
    method: 'delete',
    path: '/model-configs/{model_config_id}',
    summary: 'Delete a model that no chat uses',
    description:
      'Disable the model instead if chats use it. If it was the default, another model becomes the default.',
    scope: 'admin',
    params: ModelConfigParams,
    answers: { 204: null },
    refusals: ['model_config_in_use'],
    audit: { action: 'model_config.delete' },
  }),
  testModelConfig: route({
    method: 'post',
    path: '/model-configs/{model_config_id}/test',
    summary: 'Test a model',
    description:
      'Makes a short call with all options, as chats do. It costs as much as a short response and is not part of usage reports. A failure is part of the response, not an error status.',
    scope: 'admin',
    params: ModelConfigParams,
    answers: { 200: ModelTest },
    secret: true,
  }),
  listModels: route({
    method: 'get',
    path: '/models',
    summary: 'List the models that enabled providers offer',
    description:
      'Queries the providers, at most once a minute. A provider that cannot be queried reports an error; the others are still listed.',
    scope: 'admin',
    query: z.strictObject({
      refresh: Flag.optional().describe(
        'Queries the providers again even if the last query was less than a minute ago. Default: false.',
      ),
    }),
    answers: {
      200: z.object({
        providers: z.array(ProviderOffer).describe('Enabled providers, sorted by creation time.'),
        catalogue_date: z.iso.date().describe('Date of the built-in prices and limits.'),
        next_cursor: NoNextCursor,
      }),
    },
    refusals: ['invalid_query'],
  }),
};
