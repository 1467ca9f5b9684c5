import type { Usage } from '@chatd/protocol';

/** The counts of a message's usage, in the order in which the column holds them. New ones go to the end. */
const COUNTS = [
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_creation_tokens',
  'total_tokens',
  'context_limit',
] as const satisfies (keyof Usage)[];

/** What a client knows as an object is an array in the database: a sixth of the size. */
export const usageArray = (json: string): string =>
  `CASE WHEN ${json} IS NOT NULL THEN ARRAY[${COUNTS.map(
    (count) => `(${json} ->> '${count}')::integer`,
  ).join(', ')}] END`;

export const usageObject = (column: string): string =>
  `CASE WHEN ${column} IS NOT NULL THEN json_strip_nulls(json_build_object(${COUNTS.map(
    (count, index) => `'${count}', ${column}[${index + 1}]`,
  ).join(', ')})) END`;
