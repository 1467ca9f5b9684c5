import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { Timestamp } from './ids.ts';

export const ErrorKind = enumeration(
  'ErrorKind',
  'Why a model call, and with it a turn, failed. The kinds that are called again by themselves say so.',
  {
    overloaded: 'the provider has too much to do; called again',
    usage_limit: "the account's quota or credit at the provider is used up",
    auth: 'the provider refused the key, or what the key may use',
    rate_limit: 'the provider was called too often; called again',
    timeout: 'the connection broke, or a gateway gave up; called again',
    startup_timeout: 'no answer began in time (60 seconds); called again',
    stream_silence_timeout: 'the answer stopped in the middle (for 10 minutes); called again',
    config:
      'the provider did not accept the request: an unknown model, a bad setting, a prompt that is too long',
    content_filter: 'the provider refused the content',
    missing_key: 'there is no key for the provider',
    provider_disabled: 'the model or its provider is disabled',
    spend_limit: 'the user has reached the spend limit of the month',
    step_limit: 'the turn took more steps than it may',
    crash_loop:
      'the server process that ran the chat died several times in a row; a message runs the chat again',
    generic: 'anything else; called again if the provider answered with a 5xx',
  },
);
export type ErrorKind = z.infer<typeof ErrorKind>;

/** What a person is told. Never holds a key, a header or a raw body. */
export const ChatError = z
  .object({
    message: z.string().describe('What happened and what to do, for people.'),
    detail: z
      .string()
      .optional()
      .describe(
        'The sentence of the provider, without secrets, at most 300 characters. Only with the kinds `config`, `usage_limit` and `generic`, where it helps.',
      ),
    kind: ErrorKind.describe('What to decide by: it is stable, the words are not.'),
    provider: z
      .string()
      .optional()
      .meta({
        description: 'Name of the provider that was called. Absent if none was.',
        examples: ['Anthropic'],
      }),
    status_code: z
      .int()
      .optional()
      .meta({
        description: "The HTTP status of the provider's answer. Absent if there was none.",
        examples: [529],
      }),
    retryable: z
      .boolean()
      .describe('The same request may succeed later. False: something has to be changed first.'),
  })
  .meta({
    id: 'ChatError',
    description:
      'Why a turn, or a test of a model or provider, failed. Never holds a key, a header or a raw body.',
  });
export type ChatError = z.infer<typeof ChatError>;

/** A model call that failed and is going to be made again. */
export const Retry = z.object({
  attempt: z
    .int()
    .positive()
    .describe('The attempt that failed. The first of a step is 1; after 25 the turn fails.'),
  delay_ms: z
    .int()
    .nonnegative()
    .describe(
      'How long is waited before the next one, in milliseconds: growing up to a minute, or as the provider asks.',
    ),
  retrying_at: Timestamp.describe('When the next attempt is made.'),
  kind: ErrorKind.describe('Why it failed.'),
  retryable: z
    .boolean()
    .describe('The same request may succeed later. True: chatd retries no other errors.'),
  provider: z
    .string()
    .meta({ description: 'Name of the provider that was called.', examples: ['Anthropic'] }),
  status_code: z
    .int()
    .optional()
    .describe("The HTTP status of the provider's answer. Absent if there was none."),
  error: z.string().describe('What happened, for people.'),
});
export type Retry = z.infer<typeof Retry>;
