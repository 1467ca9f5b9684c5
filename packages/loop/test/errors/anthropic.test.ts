import { describe } from 'vitest';
import { anthropic, answered } from './answered.ts';
import { CONFIG, REFUSED, table, TOO_LONG } from './table.ts';

const bad = (message: string) => answered(400, anthropic('invalid_request_error', message));

describe('Anthropic', () => {
  table([
    [
      'overloaded',
      answered(529, anthropic('overloaded_error', 'Overloaded')),
      { kind: 'overloaded' },
    ],
    [
      'rate limit',
      answered(429, anthropic('rate_limit_error', 'This request would exceed your rate limit.')),
      { kind: 'rate_limit' },
    ],
    [
      'bad key',
      answered(401, anthropic('authentication_error', 'invalid x-api-key')),
      { kind: 'auth' },
    ],
    [
      'no permission',
      answered(403, anthropic('permission_error', 'Your API key does not have permission.')),
      { kind: 'auth' },
    ],
    [
      'server error',
      answered(500, anthropic('api_error', 'Internal server error')),
      { kind: 'generic' },
    ],
    [
      'timeout',
      answered(504, anthropic('timeout_error', 'Request timed out')),
      { kind: 'timeout' },
    ],
    [
      'large body',
      answered(413, anthropic('request_too_large', 'Request exceeds the maximum size')),
      TOO_LONG,
    ],
    ['unknown model', answered(404, anthropic('not_found_error', 'model: claude-9')), CONFIG],
    [
      'credit balance',
      bad(
        'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
      ),
      { kind: 'usage_limit' },
    ],
    [
      'usage limit',
      bad(
        'You have reached your specified API usage limits. You will regain access on 2026-02-01 at 00:00 UTC.',
      ),
      { kind: 'usage_limit' },
    ],
    [
      'content filter',
      bad('Output blocked by content filtering policy'),
      { kind: 'content_filter' },
    ],
    ['long prompt', bad('prompt is too long: 210000 tokens > 200000 maximum'), TOO_LONG],
    [
      'max_tokens above the maximum',
      bad(
        'max_tokens: 300000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5',
      ),
      CONFIG,
    ],
    [
      'max_tokens and a long prompt',
      bad(
        'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
      ),
      TOO_LONG,
    ],
    [
      'max_tokens and a prompt of most of the context',
      bad(
        'input length and `max_tokens` exceed context limit: 143291 + 64000 > 200000, decrease input length or `max_tokens` and try again',
      ),
      TOO_LONG,
    ],
    [
      'max_tokens and a short prompt',
      bad(
        'input length and `max_tokens` exceed context limit: 1200 + 199000 > 200000, decrease input length or `max_tokens` and try again',
      ),
      CONFIG,
    ],
    [
      'max_tokens and thinking',
      bad('`max_tokens` must be greater than `thinking.budget_tokens`.'),
      CONFIG,
    ],
    [
      'unreadable signature',
      bad('messages.1.content.0: Invalid `signature` in `thinking` block'),
      REFUSED,
    ],
    [
      'call without result',
      bad(
        'messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.',
      ),
      REFUSED,
    ],
    [
      'an error inside a stream',
      { type: 'overloaded_error', message: 'Overloaded' },
      { kind: 'overloaded' },
    ],
    [
      'a bad request inside a stream',
      { type: 'invalid_request_error', message: 'The server is overloaded with words' },
      REFUSED,
    ],
  ]);
});
