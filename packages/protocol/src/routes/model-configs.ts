import { z } from 'zod';
import { Uuid } from '../ids.ts';
import { JsonObject } from '../json.ts';
import { ModelConfig, ModelTest, Price, ProviderOffer, WebSearch } from '../model-config.ts';
import { Flag } from '../page.ts';
import { ReasoningEffort } from '../reasoning-effort.ts';
import { route } from '../route.ts';

const tag = 'Models';
const ModelConfigParams = z.strictObject({ model_config_id: Uuid });

const MAX_TOKENS = 100_000_000;

const Model = z.string().trim().min(1).max(300);
const DisplayName = z.string().trim().min(1).max(200);
const ContextLimit = z.int().positive().max(MAX_TOKENS);
const Threshold = z.int().min(0).max(100);

const Effort = z
  .strictObject({ default: ReasoningEffort, max: ReasoningEffort })
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

/** Null takes away what was set; in a new config, what would be taken from the catalogue. */
const tuning = {
  max_output_tokens: z.int().positive().max(MAX_TOKENS).nullable().optional(),
  temperature: z.number().min(0).max(2).nullable().optional(),
  top_p: z.number().min(0).max(1).nullable().optional(),
  top_k: z.int().positive().max(100_000).nullable().optional(),
  reasoning_effort: Effort.nullable().optional(),
  price: z.strictObject(Price.shape).nullable().optional(),
  web_search: z
    .strictObject({
      ...WebSearch.shape,
      allowed_domains: Domains.optional(),
      blocked_domains: Domains.optional(),
    })
    .nullable()
    .optional(),
  provider_options: JsonObject.nullable().optional(),
  title_model_config_id: Uuid.nullable().optional(),
  summary_model_config_id: Uuid.nullable().optional(),
};

export const modelConfigRoutes = {
  listModelConfigs: route({
    method: 'get',
    path: '/model-configs',
    tag,
    summary: 'List the models that chats can use',
    scope: 'read',
    answers: { 200: z.object({ model_configs: z.array(ModelConfig) }) },
    refusals: [],
  }),
  createModelConfig: route({
    method: 'post',
    path: '/model-configs',
    tag,
    summary: 'Add a model; what is not given is taken from the catalogue of known models',
    scope: 'admin',
    body: z.strictObject({
      provider_id: Uuid,
      model: Model,
      display_name: DisplayName.optional(),
      context_limit: ContextLimit.optional(),
      compaction_threshold: Threshold.optional(),
      ...tuning,
      enabled: z.boolean().default(true),
      is_default: z.boolean().default(false),
    }),
    answers: { 201: ModelConfig },
    refusals: ['unknown_provider', 'unknown_model_config'],
  }),
  getModelConfig: route({
    method: 'get',
    path: '/model-configs/{model_config_id}',
    tag,
    summary: 'Get a model, enabled or not',
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
    scope: 'admin',
    params: ModelConfigParams,
    body: z.strictObject({
      provider_id: Uuid.optional(),
      model: Model.optional(),
      display_name: DisplayName.optional(),
      context_limit: ContextLimit.optional(),
      compaction_threshold: Threshold.optional(),
      ...tuning,
      enabled: z.boolean().optional(),
      is_default: z.boolean().optional(),
    }),
    answers: { 200: ModelConfig },
    refusals: ['unknown_provider', 'unknown_model_config'],
  }),
  deleteModelConfig: route({
    method: 'delete',
    path: '/model-configs/{model_config_id}',
    tag,
    summary: 'Delete a model that no chat uses',
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
    scope: 'admin',
    query: z.strictObject({
      refresh: Flag.optional().describe('Ask again, though it was asked a moment ago'),
    }),
    answers: {
      200: z.object({
        providers: z.array(ProviderOffer),
        /** The day of the prices and limits that are shipped with this version. */
        catalogue_date: z.iso.date(),
      }),
    },
    refusals: ['invalid_query'],
  }),
};
