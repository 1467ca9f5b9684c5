import { z } from 'zod';

/** Why a model call, and with it a turn, failed. */
export const ErrorKind = z.enum([
  'overloaded',
  'usage_limit',
  'auth',
  'rate_limit',
  'timeout',
  'startup_timeout',
  'stream_silence_timeout',
  'config',
  'content_filter',
  'missing_key',
  'provider_disabled',
  'spend_limit',
  'step_limit',
  'generic',
]);
export type ErrorKind = z.infer<typeof ErrorKind>;

/** What a person is told. Never holds a key, a header or a raw body. */
export const ChatError = z
  .object({
    message: z.string(),
    detail: z.string().optional(),
    kind: ErrorKind,
    provider: z.string().optional(),
    status_code: z.int().optional(),
    retryable: z.boolean(),
  })
  .meta({ id: 'ChatError' });
export type ChatError = z.infer<typeof ChatError>;

/** A model call that failed and is going to be made again. */
export const Retry = z.object({
  attempt: z.int().positive(),
  delay_ms: z.int().nonnegative(),
  retrying_at: z.iso.datetime({ offset: true }),
  kind: ErrorKind,
  provider: z.string(),
  status_code: z.int().optional(),
  error: z.string(),
});
export type Retry = z.infer<typeof Retry>;
