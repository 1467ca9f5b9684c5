import { TypeValidationError } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { anthropic, answered } from './answered.ts';
import { classified } from './table.ts';

test('an error event that the SDK could not parse is classified', () => {
  const value = { error: { type: 'overloaded_error', message: 'Overloaded' } };
  const error = new TypeValidationError({ value, cause: new Error('x') });
  expect(classified(error)).toMatchObject({ kind: 'overloaded', retryable: true });
});

test('the detail is the message of the upstream provider', () => {
  const error = answered(
    400,
    {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: { raw: '{"error":{"message":"messages: at least one message is required"}}' },
      },
    },
    { message: '[Anthropic] Provider returned error' },
  );
  expect(classified(error).detail).toBe('messages: at least one message is required');
});

test('the detail names max_output_tokens as the problem', () => {
  const message =
    'max_tokens: 300000 > 64000, which is the maximum allowed number of output tokens';
  const error = answered(400, anthropic('invalid_request_error', message), { message });
  expect(classified(error).detail).toBe(`max_output_tokens was rejected: ${message}`);
});

test('the retry delay of Google is read from the body', () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' }];
  const error = answered(429, { error: { code: 429, status: 'RESOURCE_EXHAUSTED', details } });
  expect(classified(error).retry_after_ms).toBe(34_400);
});
