import {
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
} from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { GuardTimeout } from '../guards.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { classify } from './classify.ts';
import { chatError } from './failure.ts';
import { ProviderError } from './provider-error.ts';
import { EarlyEnd } from './early-end.ts';

const clock = new ManualClock(Date.UTC(2026, 0, 1, 12));
const classified = (error: unknown, signal?: AbortSignal) =>
  classify(error, { provider: 'anthropic.messages', clock, ...(signal && { signal }) });

const call = (
  statusCode: number | undefined,
  message = 'no',
  extra: { body?: string; headers?: Record<string, string>; cause?: unknown } = {},
) =>
  new APICallError({
    message,
    url: 'https://api.example/v1?key=hidden',
    requestBodyValues: { secret: 'prompt' },
    ...(statusCode !== undefined && { statusCode }),
    ...(extra.body !== undefined && { responseBody: extra.body }),
    ...(extra.headers !== undefined && { responseHeaders: extra.headers }),
    cause: extra.cause,
  });

describe('each error has its kind', () => {
  test.each([
    ['529', call(529), 'overloaded', true],
    [
      'the word overloaded in a stream',
      { type: 'overloaded_error', message: 'Overloaded' },
      'overloaded',
      true,
    ],
    ['quota', call(400, 'You exceeded your current quota'), 'usage_limit', false],
    ['billing', call(403, 'check your plan and billing details'), 'usage_limit', false],
    ['payment', call(402, 'payment required'), 'usage_limit', false],
    ['429 that mentions a quota', call(429, 'You exceeded your current quota'), 'rate_limit', true],
    [
      '429 with insufficient_quota',
      call(429, 'no', { body: '{"error":{"code":"insufficient_quota"}}' }),
      'usage_limit',
      false,
    ],
    ['401', call(401), 'auth', false],
    ['403', call(403), 'auth', false],
    [
      'a bad key with 400',
      call(400, 'API key not valid. Please pass a valid API key.'),
      'auth',
      false,
    ],
    ['429', call(429), 'rate_limit', true],
    ['408', call(408), 'timeout', true],
    ['502', call(502), 'timeout', true],
    ['503', call(503), 'timeout', true],
    ['504', call(504), 'timeout', true],
    ['a reset', call(undefined, 'Cannot connect to API: read ECONNRESET'), 'timeout', true],
    [
      'a reset as the cause',
      new TypeError('terminated', { cause: { code: 'UND_ERR_SOCKET' } }),
      'timeout',
      true,
    ],
    ['early EOF', new EarlyEnd(), 'timeout', true],
    ['GOAWAY', new Error('http2: server sent GOAWAY and closed the connection'), 'timeout', true],
    [
      'a truncated event',
      new JSONParseError({ text: '{"type":', cause: new Error('x') }),
      'timeout',
      true,
    ],
    [
      'a stream that ended without a finish reason',
      new InvalidResponseDataError({
        data: undefined,
        message: 'Response stream ended without a finish reason.',
      }),
      'timeout',
      true,
    ],
    ['an unknown model', call(404, 'model: claude-9 not found'), 'config', false],
    [
      'context too long',
      call(400, 'prompt is too long: 210000 tokens > 200000 maximum'),
      'context_length',
      false,
    ],
    ['a bad request', call(400, 'messages: roles must alternate'), 'config', false],
    [
      'refused content',
      call(400, 'no', { body: '{"code":"content_filter"}' }),
      'content_filter',
      false,
    ],
    [
      'a flagged prompt',
      call(400, 'your prompt was flagged as potentially violating our usage policy'),
      'content_filter',
      false,
    ],
    [
      'content that a gateway rejects with 403',
      call(403, 'Your input was flagged for "violence". No credits were charged.'),
      'content_filter',
      false,
    ],
    ['500', call(500), 'generic', true],
    ['424, a failed model behind a gateway', call(424), 'generic', true],
    [
      'a status as text in a stream',
      { message: 'Too many of them', code: '429' },
      'rate_limit',
      true,
    ],
    [
      'an error of the provider behind OpenRouter',
      { code: 503, message: 'Provider returned error', metadata: { raw: 'Overloaded' } },
      'overloaded',
      true,
    ],
    [
      'a truncated frame',
      new Error('Incomplete Amazon Bedrock event-stream frame: 9 buffered bytes remain'),
      'timeout',
      true,
    ],
    [
      "a broken connection to the AI SDK's gateway",
      Object.assign(
        new Error('Invalid error response format: Gateway request failed', {
          cause: call(undefined, 'Cannot connect to API: read ECONNRESET'),
        }),
        { name: 'GatewayResponseError', statusCode: 500 },
      ),
      'timeout',
      true,
    ],
    ['507', call(507), 'generic', true],
    ['anything else', new Error('boom'), 'generic', false],
    ['418', call(418), 'generic', false],
    [
      'a missing key',
      new LoadAPIKeyError({ message: 'ANTHROPIC_API_KEY is missing' }),
      'missing_key',
      false,
    ],
  ] as const)('%s', (_, error, kind, retryable) => {
    expect(classified(error)).toMatchObject({ kind, retryable });
  });
});

test('a rejected key is an auth error, regardless of the message', () => {
  expect(classified(call(401, 'overloaded')).kind).toBe('auth');
  expect(classified(call(401, 'billing is off')).kind).toBe('auth');
});

test("the reason of the loop's own abort overrides the error", () => {
  const controller = new AbortController();
  controller.abort(new GuardTimeout('startup_timeout', 60_000));
  const failure = classified(call(400, 'Failed to process successful response'), controller.signal);
  expect(failure).toMatchObject({ kind: 'startup_timeout', retryable: true });
});

test('an error that has its classification keeps it', () => {
  const error = new ProviderError({ kind: 'provider_disabled', message: 'Anthropic is disabled.' });
  expect(classified(error)).toMatchObject({
    kind: 'provider_disabled',
    retryable: false,
    message: 'Anthropic is disabled.',
  });
});

test.each([
  [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
  [{ 'Retry-After': '3' }, 3000],
  [{ 'retry-after': 'Thu, 01 Jan 2026 12:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'soon' }, undefined],
])('the retry delay is read from %o', (headers, expected) => {
  expect(classified(call(429, 'slow down', { headers })).retry_after_ms).toBe(expected);
});

test('the user-facing error has no key, no header, and no raw body', () => {
  const secret = 'sk-ant-api03-abcdefghijklmnop';
  const errors = [
    call(400, `bad header x-api-key ${secret}`, {
      headers: { 'x-secret': secret },
      body: `{"raw":"${secret}"}`,
    }),
    call(500, `{"raw":"body"}`, { body: '{"raw":"body"}' }),
    call(401, `Incorrect API key provided: ${secret}`),
  ];
  for (const error of errors) {
    const text = JSON.stringify(chatError(classified(error)));
    expect(text).not.toContain('abcdefghijklmnop');
    expect(text).not.toContain('raw');
    expect(text).not.toContain('hidden');
  }
});

test('the error has the common name of the provider', () => {
  expect(classified(call(529)).provider).toBe('anthropic');
});

test('the message names the provider and says what to do', () => {
  expect(classified(call(529)).message).toBe(
    'Anthropic is overloaded. Try again in a few minutes, or choose another model. (HTTP 529)',
  );
});

test('the configured name of a provider overrides the name of its package', () => {
  const context = { provider: 'openai-compatible.chat', providerName: 'Claude at home', clock };
  expect(classify(call(529), context)).toMatchObject({
    provider: 'Claude at home',
    message: expect.stringContaining('Claude at home is overloaded.'),
  });
});
