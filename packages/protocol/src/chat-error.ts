import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { Timestamp } from './ids.ts';

export const ErrorKind = enumeration(
  'ErrorKind',
  'Why a model call, and with it the turn, failed. Retried kinds are marked.',
  {
    overloaded: 'the provider is overloaded; retried',
    usage_limit: 'the quota or credit of the provider account is used up',
    auth: 'the provider rejected the API key, or the key lacks a permission',
    rate_limit: "the provider's rate limit was reached; retried",
    timeout: 'the connection was lost, or a gateway timed out; retried',
    startup_timeout: 'the response did not start within 60 seconds; retried',
    stream_silence_timeout: 'the response paused for 10 minutes; retried',
    config:
      'the provider rejected the request: for example because of an unknown model or an invalid setting',
    context_length: "the conversation exceeds the model's context",
    content_filter: "the provider's content filter blocked the request or the response",
    missing_key: 'no API key is configured for the provider',
    provider_disabled: 'the model or its provider is disabled',
    model_restricted:
      'the model is restricted to groups that the owner of the chat does not belong to',
    spend_limit:
      'the user, one of their groups, or the deployment has reached its monthly spend limit',
    step_limit: 'the turn reached the step limit',
    crash_loop:
      'the server process crashed several times in a row while running the chat; the next message runs the chat again',
    generic: 'any other error; retried if the provider responded with a 5xx status',
  },
);
export type ErrorKind = z.infer<typeof ErrorKind>;

/** Safe to show to users: contains no keys, headers or raw bodies. */
export const ChatError = z
  .object({
    message: z.string().describe('What happened and what to do, as text for users.'),
    detail: z
      .string()
      .optional()
      .describe(
        'Message of the provider, without secrets. At most 300 characters. Present only for some errors of the kinds `config`, `context_length`, `usage_limit` and `generic`.',
      ),
    kind: ErrorKind.describe(
      'Kind of the error. Stable; use it instead of the message in programs.',
    ),
    provider: z
      .string()
      .optional()
      .meta({
        description: 'Name of the provider. Absent if no provider was called.',
        examples: ['Anthropic'],
      }),
    status_code: z
      .int()
      .optional()
      .meta({
        description: "HTTP status of the provider's response. Absent if there was none.",
        examples: [529],
      }),
    retryable: z
      .boolean()
      .describe('True if the same request may succeed later. False: change something first.'),
  })
  .meta({
    id: 'ChatError',
    description:
      'Why a turn, or a test of a model or provider, failed. Contains no keys, headers or raw bodies.',
  });
export type ChatError = z.infer<typeof ChatError>;

/** A failed model call that will be retried. */
export const Retry = z.object({
  attempt: z
    .int()
    .positive()
    .describe(
      'Number of the failed attempt. Starts at 1 in each step; after attempt 25 the turn fails.',
    ),
  delay_ms: z
    .int()
    .nonnegative()
    .describe(
      'Delay before the next attempt, in milliseconds. Grows up to one minute, unless the provider requests another delay.',
    ),
  retrying_at: Timestamp.describe('Time of the next attempt.'),
  kind: ErrorKind.describe('Kind of the error.'),
  retryable: z
    .boolean()
    .describe(
      'True if the same request may succeed later. Always true, because other errors are not retried.',
    ),
  provider: z.string().meta({ description: 'Name of the provider.', examples: ['Anthropic'] }),
  status_code: z
    .int()
    .optional()
    .describe("HTTP status of the provider's response. Absent if there was none."),
  error: z.string().describe('What happened, as text for users.'),
});
export type Retry = z.infer<typeof Retry>;
