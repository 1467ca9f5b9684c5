import type { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;

const TYPES: Record<string, string> = {
  int: 'an integer',
  number: 'a number',
  nan: 'a number',
  string: 'a string',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** The JSON type of a value. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return TYPES[typeof value] ?? typeof value;
}

/** The unit of a length limit. Numbers have none. */
const UNITS: Record<string, (count: bigint | number) => string> = {
  string: (count) => `${count} ${count === 1 ? 'character' : 'characters'}`,
  array: (count) => `${count} ${count === 1 ? 'entry' : 'entries'}`,
  set: (count) => `${count} ${count === 1 ? 'entry' : 'entries'}`,
  object: (count) => `${count} ${count === 1 ? 'field' : 'fields'}`,
  record: (count) => `${count} ${count === 1 ? 'field' : 'fields'}`,
};

type Bound = Extract<RawIssue, { code: 'too_small' | 'too_big' }>;

function limit(issue: Bound, inclusive: string, exclusive: string, bound: bigint | number): string {
  const words = issue.inclusive === false ? exclusive : inclusive;
  const unit = UNITS[issue.origin];
  return unit === undefined ? `must be ${words} ${bound}` : `must have ${words} ${unit(bound)}`;
}

/** The error message for a field, without the name of the field. Custom messages of schemas are kept. */
export function issueMessage(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return `must be ${TYPES[issue.expected] ?? issue.expected}, not ${typeOf(issue.input)}`;
    case 'too_small':
      return limit(issue, 'at least', 'more than', issue.minimum);
    case 'too_big':
      return limit(issue, 'at most', 'less than', issue.maximum);
    case 'invalid_value': {
      if (issue.input === undefined) return 'is required';
      const values = issue.values.map((value) => JSON.stringify(value)).join(', ');
      return issue.values.length === 1 ? `must be ${values}` : `must be one of ${values}`;
    }
    case 'invalid_format':
      return issue.format === 'regex' ? 'has the wrong format' : `must be a valid ${issue.format}`;
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : 'does not match any of the allowed forms';
    // Custom rules have their own messages, and `issues.ts` handles unknown fields.
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return undefined;
  }
}
