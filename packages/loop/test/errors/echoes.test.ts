import { TypeValidationError } from '@ai-sdk/provider';
import { describe } from 'vitest';
import { answered, openai } from './answered.ts';
import { REFUSED, table } from './table.ts';

const words = 'the billing system is overloaded: rate limit exceeded, prompt is too long';
const rejected = (message: string, fields: object = {}) =>
  answered(400, openai({ message, type: 'invalid_request_error', ...fields }));

describe('text of the request that the error echoes is ignored', () => {
  table([
    [
      'a quoted value',
      rejected(`Invalid value: '${words}'. Supported values are: 'low' and 'high'.`),
      REFUSED,
    ],
    ['a quoted value that was cut', rejected(`Invalid value: '${words} and so on and`), REFUSED],
    ['a value in double quotes', rejected(`Invalid type for input[0]: got "${words}".`), REFUSED],
    [
      'JSON in the message',
      rejected(`Invalid content: {"type":"overloaded_error","message":"${words}"}`),
      REFUSED,
    ],
    ['a parameter with a sentence', rejected('Param Incorrect', { param: words }), REFUSED],
    [
      'fields of a Pydantic error',
      answered(422, {
        detail: [
          {
            type: 'string_type',
            loc: ['body', 'messages'],
            msg: 'Input should be a valid string',
            input: { error: { type: 'overloaded_error', message: words } },
          },
        ],
      }),
      REFUSED,
    ],
    [
      'field violations of Google',
      answered(400, {
        error: {
          code: 400,
          status: 'INVALID_ARGUMENT',
          message: 'Request contains an invalid argument.',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.BadRequest',
              fieldViolations: [{ description: words }],
            },
          ],
        },
      }),
      REFUSED,
    ],
    [
      'the whole request',
      answered(400, {
        error: { message: 'Bad request', type: 'invalid_request_error' },
        request: { type: 'overloaded_error', messages: [words] },
      }),
      REFUSED,
    ],
    ['an HTML page', answered(400, `<html><body>${words}</body></html>`), REFUSED],
    ['a body that is not JSON', answered(400, words), REFUSED],
    [
      'a server error that echoes the input',
      answered(500, {
        error: { message: 'Oops', type: 'server_error' },
        input: 'insufficient_quota, prompt is too long',
      }),
      { kind: 'generic' },
    ],
    [
      'an event that the SDK could not parse',
      new TypeValidationError({
        value: { choices: [{ delta: { content: 'insufficient_quota' } }] },
        cause: new Error('x'),
      }),
      { kind: 'generic' },
    ],
  ]);
});
