import type { Usage } from '@chatd/protocol';

/** The usage counts in the order of the array. New ones go to the end. */
const COUNTS = [
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_creation_tokens',
  'total_tokens',
  'context_limit',
] as const satisfies (keyof Usage)[];

/** Usage is stored as an array, which takes a sixth of the size of an object. */
export const usageArray = (json: string): string =>
  `CASE WHEN ${json} IS NOT NULL THEN ARRAY[${COUNTS.map(
    (count) => `(${json} ->> '${count}')::integer`,
  ).join(', ')}] END`;

export const usageObject = (column: string): string =>
  `CASE WHEN ${column} IS NOT NULL THEN json_strip_nulls(json_build_object(${COUNTS.map(
    (count, index) => `'${count}', ${column}[${index + 1}]`,
  ).join(', ')})) END`;

/** Without the columns that only `findCommit` uses. */
export const MESSAGE_COLUMNS = [
  'id',
  'chat_id',
  'role',
  'revision',
  'hidden',
  'content',
  'meta',
  'created_at',
  'created_by',
  'model_config_id',
  'cost_micros',
  'runtime_ms',
  'queued_message_id',
]
  .map((column) => `messages.${column}`)
  .concat(`${usageObject('messages.usage')} AS usage`)
  .join(', ');
