import { z } from 'zod';
import { describedAs } from './text-value.ts';

/** Chats, users, files, tokens and everything an admin configures. Made by the server as UUIDv7. */
export const Uuid = z.uuid().meta(describedAs({ type: 'string', format: 'uuid' }));

/** Messages and queued messages: integers that grow within a deployment. */
export const SerialId = z.int().positive();

/** A serial id as it stands in a path or a query string. */
export const SerialIdText = z
  .string()
  .regex(/^[1-9][0-9]{0,15}$/, 'must be a positive integer')
  .transform(Number)
  .refine(Number.isSafeInteger, 'must be less than 2^53')
  .meta(describedAs({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }));

/** The id of the last message that a client has, as it stands in a query string; 0: it has none yet. */
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

/** Max number of calls that one request answers: more than a response contains. */
export const ANSWERED_CALLS_LIMIT = 4096;

/** A call of a tool that somebody is asked about, by what the model calls it. */
export const AwaitedCallId = z
  .string()
  .min(1)
  .max(256)
  .meta({
    description: 'The call, as `action_required` of the stream names it.',
    examples: ['toolu_01'],
  });
