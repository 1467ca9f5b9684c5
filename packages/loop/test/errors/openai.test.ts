import { describe } from 'vitest';
import { answered, openai } from './answered.ts';
import { CONFIG, REFUSED, table, TOO_LONG } from './table.ts';

const bad = (message: string, fields: object = {}) =>
  answered(400, openai({ message, type: 'invalid_request_error', ...fields }));

describe('OpenAI', () => {
  table([
    [
      'quota',
      answered(
        429,
        openai({
          message: 'You exceeded your current quota, please check your plan and billing details.',
          type: 'insufficient_quota',
          code: 'insufficient_quota',
        }),
      ),
      { kind: 'usage_limit' },
    ],
    [
      'rate limit',
      answered(
        429,
        openai({
          message:
            'Rate limit reached for gpt-5 in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.',
          type: 'tokens',
          code: 'rate_limit_exceeded',
        }),
      ),
      { kind: 'rate_limit' },
    ],
    [
      'request above the rate limit',
      answered(
        429,
        openai({
          message:
            'Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 342389. The input or output tokens must be reduced in order to run successfully.',
          type: 'tokens',
          code: 'rate_limit_exceeded',
        }),
      ),
      TOO_LONG,
    ],
    [
      'bad key',
      answered(
        401,
        openai({
          message: 'Incorrect API key provided: sk-x.',
          type: 'invalid_request_error',
          code: 'invalid_api_key',
        }),
      ),
      { kind: 'auth' },
    ],
    [
      'unknown model',
      answered(
        404,
        openai({
          message: 'The model `gpt-9` does not exist or you do not have access to it.',
          type: 'invalid_request_error',
          code: 'model_not_found',
        }),
      ),
      CONFIG,
    ],
    [
      'server error',
      answered(
        500,
        openai({
          message: 'The server had an error while processing your request. Sorry about that!',
          type: 'server_error',
        }),
      ),
      { kind: 'generic' },
    ],
    [
      'overloaded',
      answered(
        503,
        openai({
          message: 'The engine is currently overloaded, please try again later',
          type: 'server_error',
        }),
      ),
      { kind: 'overloaded' },
    ],
    [
      'flagged prompt',
      bad(
        'Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.',
        { code: 'invalid_prompt' },
      ),
      { kind: 'content_filter' },
    ],
    [
      'long input',
      bad(
        'Your input exceeds the context window of this model. Please adjust your input and try again.',
        { param: 'input', code: 'context_length_exceeded' },
      ),
      TOO_LONG,
    ],
    [
      'long messages',
      bad(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.",
        { param: 'messages', code: 'context_length_exceeded' },
      ),
      TOO_LONG,
    ],
    [
      'long messages and a completion',
      bad(
        "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
      ),
      TOO_LONG,
    ],
    [
      'short messages and a long completion',
      bad(
        "This model's maximum context length is 8192 tokens. However, you requested 8256 tokens (64 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
        { param: 'messages', code: 'context_length_exceeded' },
      ),
      CONFIG,
    ],
    [
      'max_tokens above the maximum',
      bad(
        'max_tokens is too large: 200000. This model supports at most 16384 completion tokens, whereas you provided 200000.',
        { param: 'max_tokens', code: 'invalid_value' },
      ),
      CONFIG,
    ],
    [
      'max_output_tokens below the minimum',
      bad(
        "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.",
        { param: 'max_output_tokens', code: 'integer_below_min_value' },
      ),
      CONFIG,
    ],
    [
      'unknown item',
      answered(
        404,
        openai({
          message:
            "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
          type: 'invalid_request_error',
          param: 'input',
        }),
      ),
      REFUSED,
    ],
    [
      'unknown response',
      bad("Previous response with id 'resp_1' not found.", { code: 'previous_response_not_found' }),
      REFUSED,
    ],
    [
      'unreadable reasoning',
      bad('The encrypted content for item rs_1 could not be verified.', {
        code: 'invalid_encrypted_content',
      }),
      REFUSED,
    ],
    [
      'wrong URL',
      answered(
        404,
        openai({ message: 'Invalid URL (POST /v2/responses)', type: 'invalid_request_error' }),
      ),
      CONFIG,
    ],
    [
      'a failed response',
      {
        type: 'response.failed',
        response: {
          error: { code: 'server_error', message: 'An error occurred.' },
          input: 'rate_limit_exceeded',
        },
      },
      { kind: 'generic' },
    ],
    [
      'a bad request with a status that the SDK made up',
      answered(500, { type: 'error', message: 'Invalid input', code: 'invalid_request_error' }),
      REFUSED,
    ],
  ]);
});
