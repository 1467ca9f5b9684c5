import { describe } from 'vitest';
import { answered } from './answered.ts';
import { CONFIG, REFUSED, table, TOO_LONG } from './table.ts';

const google = (code: number, status: string, message: string, details: object[] = []) =>
  answered(code, { error: { code, message, status, details } });

describe('Google', () => {
  table([
    [
      'per-minute quota',
      google(
        429,
        'RESOURCE_EXHAUSTED',
        'You exceeded your current quota, please check your plan and billing details.',
        [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' }],
      ),
      { kind: 'rate_limit' },
    ],
    [
      'overloaded',
      google(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
      { kind: 'overloaded' },
    ],
    [
      'bad key',
      google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
      ]),
      { kind: 'auth' },
    ],
    [
      'no permission',
      google(403, 'PERMISSION_DENIED', 'Generative Language API has not been used in project 1.'),
      { kind: 'auth' },
    ],
    [
      'unknown model',
      google(
        404,
        'NOT_FOUND',
        'models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.',
      ),
      CONFIG,
    ],
    [
      'long input',
      google(
        400,
        'INVALID_ARGUMENT',
        'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).',
      ),
      TOO_LONG,
    ],
    [
      'long input without its size',
      google(
        400,
        'INVALID_ARGUMENT',
        'The input token count exceeds the maximum number of tokens allowed 1048576.',
      ),
      TOO_LONG,
    ],
    [
      'maxOutputTokens out of range',
      google(
        400,
        'INVALID_ARGUMENT',
        'Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.',
      ),
      CONFIG,
    ],
    [
      'missing signature',
      google(
        400,
        'INVALID_ARGUMENT',
        'Function call is missing a thought_signature in functionCall parts.',
      ),
      REFUSED,
    ],
    [
      'unreadable signature',
      google(400, 'INVALID_ARGUMENT', 'Corrupted thought signature.'),
      REFUSED,
    ],
    ['internal', google(500, 'INTERNAL', 'An internal error has occurred.'), { kind: 'generic' }],
    [
      'deadline',
      google(504, 'DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.'),
      { kind: 'timeout' },
    ],
    [
      'a body that is a list',
      answered(429, [
        {
          error: {
            code: 429,
            message: 'Resource exhausted. Please try again later.',
            errors: [{ reason: 'rateLimitExceeded' }],
            status: 'RESOURCE_EXHAUSTED',
          },
        },
      ]),
      { kind: 'rate_limit' },
    ],
    [
      'an error inside a stream',
      { message: 'The model is overloaded.', type: 'UNAVAILABLE', code: 503, statusCode: 503 },
      { kind: 'overloaded' },
    ],
  ]);
});
