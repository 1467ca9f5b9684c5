import { z } from 'zod';
import { describedAs } from './text-value.ts';

/** Chats, users, files, tokens and everything an admin configures. The server generates them as UUIDv7. */
export const Uuid = z.uuid().meta(describedAs({ type: 'string', format: 'uuid' }));

/** Messages and queued messages: integers that increase within a deployment. */
export const SerialId = z.int().positive();

/** A serial ID in a path or query string. */
export const SerialIdText = z
  .string()
  .regex(/^[1-9][0-9]{0,15}$/, 'must be a positive integer')
  .transform(Number)
  .refine(Number.isSafeInteger, 'must be less than 2^53')
  .meta(describedAs({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }));

/** The ID of the last message that a client has, in a query string. 0: none. */
export const AfterIdText = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,15})$/, 'must be an integer, 0 or greater')
  .transform(Number)
  .refine(Number.isSafeInteger, 'must be less than 2^53')
  .meta(describedAs({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));

/** RFC 3339, UTC. */
export const Timestamp = z.iso
  .datetime({ offset: true })
  .meta(describedAs({ type: 'string', format: 'date-time' }));

/** Max number of calls in one request: more than a model response contains. */
export const ANSWERED_CALLS_LIMIT = 4096;

export const AwaitedCallId = z
  .string()
  .min(1)
  .max(256)
  .meta({
    description: 'ID of the call, from the `action_required` event.',
    examples: ['toolu_01'],
  });
