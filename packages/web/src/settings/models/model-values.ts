import type { ModelConfig, ReasoningEffort, WebSearch } from '@chatd/protocol';
import {
  linesIn,
  microsIn,
  microsText,
  notNumbers,
  numberIn,
  numberText,
} from '../form/numbers.ts';
import type { FieldErrors } from '../form/use-form.ts';

export const EFFORTS: readonly ReasoningEffort[] = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
];

export interface ModelValues {
  readonly provider_id: string;
  readonly model: string;
  readonly display_name: string;
  readonly context_limit: string;
  readonly compaction_threshold: string;
  readonly max_output_tokens: string;
  readonly temperature: string;
  readonly top_p: string;
  readonly top_k: string;
  readonly presence_penalty: string;
  readonly frequency_penalty: string;
  readonly effort_default: string;
  readonly effort_max: string;
  readonly price_input: string;
  readonly price_output: string;
  readonly price_cache_read: string;
  readonly price_cache_write: string;
  readonly web_search: boolean;
  readonly allowed_domains: string;
  readonly blocked_domains: string;
  readonly context_size: string;
  readonly provider_options: string;
  readonly title_model_config_id: string;
  readonly summary_model_config_id: string;
  /** Null: all users. */
  readonly group_ids: readonly string[] | null;
}

/** Fields that are nested in the API. */
export const PARTS = ['reasoning_effort', 'price', 'web_search'] as const;

export const valuesOfModel = (config: ModelConfig): ModelValues => ({
  provider_id: config.provider_id,
  model: config.model,
  display_name: config.display_name,
  context_limit: numberText(config.context_limit),
  compaction_threshold: numberText(config.compaction_threshold),
  max_output_tokens: numberText(config.max_output_tokens),
  temperature: numberText(config.temperature),
  top_p: numberText(config.top_p),
  top_k: numberText(config.top_k),
  presence_penalty: numberText(config.presence_penalty),
  frequency_penalty: numberText(config.frequency_penalty),
  effort_default: config.reasoning_effort?.default ?? '',
  effort_max: config.reasoning_effort?.max ?? '',
  price_input: microsText(config.price?.input),
  price_output: microsText(config.price?.output),
  price_cache_read: microsText(config.price?.cache_read),
  price_cache_write: microsText(config.price?.cache_write),
  web_search: config.web_search !== undefined,
  allowed_domains: (config.web_search?.allowed_domains ?? []).join('\n'),
  blocked_domains: (config.web_search?.blocked_domains ?? []).join('\n'),
  context_size: config.web_search?.context_size ?? '',
  provider_options:
    config.provider_options === undefined ? '' : JSON.stringify(config.provider_options, null, 2),
  title_model_config_id: config.title_model_config_id ?? '',
  summary_model_config_id: config.summary_model_config_id ?? '',
  group_ids: config.group_ids ?? null,
});

export function checkModel(values: ModelValues): FieldErrors {
  const { price_input, price_output, effort_default, effort_max, provider_options } = values;
  const halfPrice = (price_input.trim() === '') !== (price_output.trim() === '');
  const cacheAlone =
    price_input.trim() === '' &&
    `${values.price_cache_read}${values.price_cache_write}`.trim() !== '';
  return {
    ...notNumbers(values, [
      'context_limit',
      'compaction_threshold',
      'max_output_tokens',
      'temperature',
      'top_p',
      'top_k',
      'presence_penalty',
      'frequency_penalty',
      'price_input',
      'price_output',
      'price_cache_read',
      'price_cache_write',
    ]),
    ...((halfPrice || cacheAlone) && {
      [price_input.trim() === '' ? 'price_input' : 'price_output']:
        'set both input and output prices',
    }),
    ...((effort_default === '') !== (effort_max === '') && {
      [effort_default === '' ? 'effort_default' : 'effort_max']: 'set both or neither',
    }),
    ...(jsonIn(provider_options) === 'wrong' && {
      provider_options: 'must be a JSON object, such as {"openai": {"store": true}}',
    }),
  };
}

type JsonValue = NonNullable<ModelConfig['provider_options']>;

function jsonIn(text: string): JsonValue | undefined | 'wrong' {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as JsonValue) : 'wrong';
  } catch {
    return 'wrong';
  }
}

/** Validated values in the API's format. Empty fields are unset. */
export function bodyOf(values: ModelValues) {
  const options = jsonIn(values.provider_options);
  return {
    provider_id: values.provider_id,
    model: values.model.trim(),
    compaction_threshold: numberIn(values.compaction_threshold) ?? 70,
    max_output_tokens: numberIn(values.max_output_tokens) ?? null,
    temperature: numberIn(values.temperature) ?? null,
    top_p: numberIn(values.top_p) ?? null,
    top_k: numberIn(values.top_k) ?? null,
    presence_penalty: numberIn(values.presence_penalty) ?? null,
    frequency_penalty: numberIn(values.frequency_penalty) ?? null,
    reasoning_effort:
      values.effort_default === ''
        ? null
        : {
            default: values.effort_default as ReasoningEffort,
            max: values.effort_max as ReasoningEffort,
          },
    price: priceOf(values),
    web_search: values.web_search ? searchOf(values) : null,
    provider_options: options === undefined || options === 'wrong' ? null : options,
    title_model_config_id: values.title_model_config_id || null,
    summary_model_config_id: values.summary_model_config_id || null,
    group_ids: values.group_ids === null ? null : [...values.group_ids],
    ...(values.display_name.trim() !== '' && { display_name: values.display_name }),
    ...(values.context_limit.trim() !== '' && {
      context_limit: numberIn(values.context_limit) ?? 0,
    }),
  };
}

type PriceValues = Pick<
  ModelValues,
  'price_input' | 'price_output' | 'price_cache_read' | 'price_cache_write'
>;

export function priceOf(values: PriceValues) {
  const input = microsIn(values.price_input);
  const output = microsIn(values.price_output);
  if (input === undefined || output === undefined) return null;
  const cache_read = microsIn(values.price_cache_read);
  const cache_write = microsIn(values.price_cache_write);
  return {
    input,
    output,
    ...(cache_read !== undefined && { cache_read }),
    ...(cache_write !== undefined && { cache_write }),
  };
}

function searchOf(values: ModelValues): WebSearch {
  const allowed_domains = linesIn(values.allowed_domains);
  const blocked_domains = linesIn(values.blocked_domains);
  return {
    ...(allowed_domains.length > 0 && { allowed_domains }),
    ...(blocked_domains.length > 0 && { blocked_domains }),
    ...(values.context_size !== '' && {
      context_size: values.context_size as NonNullable<WebSearch['context_size']>,
    }),
  };
}
