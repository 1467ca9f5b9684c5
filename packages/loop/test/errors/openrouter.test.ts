import { describe } from 'vitest';
import { answered, openai } from './answered.ts';
import { CONFIG, REFUSED, table, TOO_LONG } from './table.ts';

const upstreamError = (code: number, raw: unknown) =>
  answered(
    code,
    {
      error: {
        message: 'Provider returned error',
        code,
        metadata: { provider_name: 'OpenAI', raw },
      },
    },
    { message: '[OpenAI] Provider returned error' },
  );

describe('OpenRouter', () => {
  table([
    [
      'credits',
      answered(402, {
        error: {
          code: 402,
          message:
            'This request requires more credits, or fewer max_tokens. You requested up to 4096 tokens, but can only afford 222.',
        },
      }),
      { kind: 'usage_limit' },
    ],
    [
      'moderation',
      answered(403, {
        error: {
          code: 403,
          message:
            'openai/gpt-5 requires moderation on OpenAI. Your input was flagged for "violence". No credits were charged.',
          metadata: { reasons: ['violence'], flagged_input: 'rate limit exceeded, overloaded' },
        },
      }),
      { kind: 'content_filter' },
    ],
    [
      'long input',
      answered(400, {
        error: {
          code: 400,
          message:
            'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 200000 tokens (190000 of text input, 10000 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
        },
      }),
      TOO_LONG,
    ],
    [
      'unknown model',
      answered(400, { error: { code: 400, message: 'openai/gpt-9 is not a valid model ID' } }),
      CONFIG,
    ],
    [
      'upstream rate limit',
      upstreamError(429, 'z-ai/glm-5 is temporarily rate-limited upstream. Please retry shortly.'),
      { kind: 'rate_limit' },
    ],
    [
      'an upstream body as text',
      upstreamError(
        400,
        JSON.stringify(
          openai({
            message: 'prompt is too long: 5 tokens > 4 maximum',
            type: 'invalid_request_error',
          }),
        ),
      ),
      TOO_LONG,
    ],
    [
      'an upstream body',
      upstreamError(502, { error: { type: 'overloaded_error', message: 'Busy' } }),
      { kind: 'overloaded' },
    ],
    [
      'an upstream refusal',
      upstreamError(
        400,
        '{"error":{"code":"400","message":"Param Incorrect","param":"messages[2] assistant content must contain at least one part","type":""}}',
      ),
      REFUSED,
    ],
    [
      'an error inside a stream',
      { code: 503, message: 'Provider returned error', metadata: { raw: 'Overloaded' } },
      { kind: 'overloaded' },
    ],
  ]);
});
