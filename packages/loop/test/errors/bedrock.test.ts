import { describe } from 'vitest';
import { answered } from './answered.ts';
import { CONFIG, REFUSED, table, TOO_LONG } from './table.ts';

const bedrock = (status: number, type: string, message: string) =>
  answered(
    status,
    { message },
    {
      message,
      headers: {
        'x-amzn-ErrorType': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
      },
    },
  );

describe('Bedrock', () => {
  table([
    [
      'throttling',
      bedrock(429, 'ThrottlingException', 'Too many tokens, please wait before trying again.'),
      { kind: 'rate_limit' },
    ],
    [
      'throttled requests',
      bedrock(429, 'ThrottlingException', 'Too many requests, please wait before trying again.'),
      { kind: 'rate_limit' },
    ],
    [
      'no access',
      bedrock(
        403,
        'AccessDeniedException',
        "You don't have access to the model with the specified model ID.",
      ),
      { kind: 'auth' },
    ],
    [
      'long input',
      bedrock(400, 'ValidationException', 'Input is too long for requested model.'),
      TOO_LONG,
    ],
    [
      'long prompt of Claude',
      bedrock(
        400,
        'ValidationException',
        'The model returned the following errors: prompt is too long: 200049 tokens > 200000 maximum',
      ),
      TOO_LONG,
    ],
    [
      'max tokens above the limit',
      bedrock(
        400,
        'ValidationException',
        'The maximum tokens you requested exceeds the model limit of 2048. Try again with a maximum tokens value that is lower than 2048.',
      ),
      CONFIG,
    ],
    [
      'unknown model',
      bedrock(400, 'ValidationException', 'The provided model identifier is invalid.'),
      CONFIG,
    ],
    [
      'bad request',
      bedrock(400, 'ValidationException', 'A conversation must start with a user message.'),
      REFUSED,
    ],
    [
      'a type in the body',
      answered(429, { __type: 'com.amazon.coral.availability#ThrottlingException' }),
      { kind: 'rate_limit' },
    ],
    [
      'a type without a status',
      { message: 'Wait.', type: 'throttlingException' },
      { kind: 'rate_limit' },
    ],
    [
      'unavailable',
      { message: 'Try later.', type: 'serviceUnavailableException' },
      { kind: 'timeout' },
    ],
    [
      'unavailable because of its load',
      { message: 'The model is overloaded.', type: 'serviceUnavailableException' },
      { kind: 'overloaded' },
    ],
    [
      'failed model',
      bedrock(424, 'ModelErrorException', 'The model could not answer.'),
      { kind: 'generic' },
    ],
  ]);
});
