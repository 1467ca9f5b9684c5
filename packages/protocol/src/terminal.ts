import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';
import { describedAs } from './text-value.ts';

/** A terminal that is open in a workspace. */
export const TerminalInfo = z
  .object({
    id: Uuid.describe('What `openTerminal` takes as `terminal_id`, to come back to it.'),
    created_at: Timestamp.describe('When it was opened.'),
    viewers: z
      .int()
      .describe('How many connections look at it now. With none, it ends after 10 minutes.'),
  })
  .meta({
    id: 'Terminal',
    description: 'A terminal that is open in a workspace, on the server that answers.',
  });
export type TerminalInfo = z.infer<typeof TerminalInfo>;

const Columns = z.int().min(1).max(1000);
const Rows = z.int().min(1).max(1000);

/** What a client says in text messages; what is typed goes in binary ones. */
export const TerminalControl = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('resize').describe('Change the size.'),
        cols: Columns.describe('Characters in a line.'),
        rows: Rows.describe('Lines.'),
      })
      .meta({
        title: 'resize',
        description: 'The window has another size. Of several who look, the last one counts.',
      }),
    z
      .object({ type: z.literal('close').describe('End it.') })
      .meta({ title: 'close', description: 'Ends the shell, as closing its window does.' }),
  ])
  .meta({
    id: 'TerminalControl',
    description:
      'What a client of `openTerminal` says in text messages; what is typed goes in binary ones.',
  });
export type TerminalControl = z.infer<typeof TerminalControl>;

/** What the server says in text messages; what is shown comes in binary ones. */
export const TerminalNotice = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('ready').describe('Which message it is.'),
        terminal_id: Uuid.describe('What to come back with.'),
        is_new: z
          .boolean()
          .describe(
            'It was opened just now: the one that was asked for is gone, or none was asked for.',
          ),
        resumed: z.boolean().describe('What follows goes on exactly where `after` left off.'),
        from: z
          .int()
          .describe('The number of the first byte that follows. Count on from there for `after`.'),
        replay: z.int().describe('So many bytes follow that were shown before, at most 256 KiB.'),
      })
      .meta({ title: 'ready', description: 'The first message.' }),
    z
      .object({
        type: z.literal('exit').describe('Which message it is.'),
        code: z.int().nullable().describe('The exit code of the shell. Null: a signal ended it.'),
        signal: z
          .string()
          .nullable()
          .meta({
            description: 'The signal that ended it. Null: none did.',
            examples: ['SIGHUP'],
          }),
      })
      .meta({
        title: 'exit',
        description: 'The shell has ended; the connection is closed with 1000.',
      }),
  ])
  .meta({
    id: 'TerminalNotice',
    description:
      'What the server of `openTerminal` says in text messages; what is shown comes in binary ones.',
  });
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
    'One that is open. Without it, or when it is gone, a new one; a workspace has at most 10.',
  ),
  after: number(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe(
      'How many bytes of it you have seen, to get what you have not. Without it, all that is remembered: the last 256 KiB.',
    ),
  cols: number(1, 1000).default(80).describe('Characters in a line of a new one. 80 unless given.'),
  rows: number(1, 1000).default(24).describe('Lines of a new one. 24 unless given.'),
});
