import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';
import { describedAs } from './text-value.ts';

/** A terminal that is open in a workspace. */
export const TerminalInfo = z
  .object({
    id: Uuid,
    created_at: Timestamp,
    /** How many look at it now. */
    viewers: z.int(),
  })
  .meta({ id: 'Terminal' });
export type TerminalInfo = z.infer<typeof TerminalInfo>;

const Columns = z.int().min(1).max(1000);
const Rows = z.int().min(1).max(1000);

/** What a client says in text messages; what is typed goes in binary ones. */
export const TerminalControl = z.discriminatedUnion('type', [
  z.object({ type: z.literal('resize'), cols: Columns, rows: Rows }),
  /** Ends it, as closing its window does. */
  z.object({ type: z.literal('close') }),
]);
export type TerminalControl = z.infer<typeof TerminalControl>;

/** What the server says in text messages; what is shown comes in binary ones. */
export const TerminalNotice = z.discriminatedUnion('type', [
  /** The first message. */
  z.object({
    type: z.literal('ready'),
    terminal_id: Uuid,
    /** It was opened just now: the one that was asked for is gone, or none was asked for. */
    is_new: z.boolean(),
    /** What follows goes on exactly where the client left off. */
    resumed: z.boolean(),
    /** The number of the first byte that follows; the client counts on from there. */
    from: z.int(),
    /** So many bytes follow that were shown before. */
    replay: z.int(),
  }),
  /** Its program has ended; the connection is closed. */
  z.object({ type: z.literal('exit'), code: z.int().nullable(), signal: z.string().nullable() }),
]);
export type TerminalNotice = z.infer<typeof TerminalNotice>;

const number = (least: number, most: number) =>
  z
    .string()
    .regex(/^[0-9]{1,15}$/, `must be ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be ${least} to ${most}`)
    .meta(describedAs({ type: 'integer', minimum: least, maximum: most }));

export const TerminalQuery = z.strictObject({
  terminal_id: Uuid.optional().describe(
    'One that is open; without it, or when it is gone, a new one',
  ),
  after: number(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('The number of bytes of it that you have seen'),
  cols: number(1, 1000).default(80),
  rows: number(1, 1000).default(24),
});
