import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';
import { describedAs } from './text-value.ts';

export const TerminalInfo = z
  .object({
    id: Uuid.describe('ID of the terminal, for `terminal_id` of `openTerminal`.'),
    created_at: Timestamp.describe('Creation time.'),
    viewers: z
      .int()
      .describe('Number of open connections. Without any, the terminal ends after 10 minutes.'),
  })
  .meta({
    id: 'Terminal',
    description: 'An open terminal in a workspace, on the server that responds.',
  });
export type TerminalInfo = z.infer<typeof TerminalInfo>;

const Columns = z.int().min(1).max(1000);
const Rows = z.int().min(1).max(1000);

export const TerminalControl = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('resize').describe('Type of the message.'),
        cols: Columns.describe('Number of columns.'),
        rows: Rows.describe('Number of rows.'),
      })
      .meta({
        title: 'resize',
        description: 'Resizes the terminal. With several connections, the last resize applies.',
      }),
    z
      .object({ type: z.literal('close').describe('Type of the message.') })
      .meta({ title: 'close', description: 'Ends the shell, like closing its window.' }),
  ])
  .meta({
    id: 'TerminalControl',
    description:
      'Text message from a client of `openTerminal`. Binary messages are keyboard input.',
  });
export type TerminalControl = z.infer<typeof TerminalControl>;

export const TerminalNotice = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('ready').describe('Type of the message.'),
        terminal_id: Uuid.describe('ID of the terminal, for reconnecting.'),
        is_new: z
          .boolean()
          .describe(
            'True if the terminal is new, because no terminal was requested or the requested one has ended.',
          ),
        resumed: z.boolean().describe('True if the output continues exactly at `after`.'),
        from: z
          .int()
          .describe(
            'Byte position of the following output. Add the bytes received to get the next `after`.',
          ),
        replay: z
          .int()
          .describe('Number of following bytes that were already shown. At most 256 KiB.'),
      })
      .meta({ title: 'ready', description: 'The first message.' }),
    z
      .object({
        type: z.literal('exit').describe('Type of the message.'),
        code: z.int().nullable().describe('Exit code of the shell. Null: ended by a signal.'),
        signal: z
          .string()
          .nullable()
          .meta({
            description: 'Signal that ended the shell. Null: none.',
            examples: ['SIGHUP'],
          }),
      })
      .meta({
        title: 'exit',
        description: 'The shell has ended. The connection closes with code 1000.',
      }),
  ])
  .meta({
    id: 'TerminalNotice',
    description:
      'Text message from the server of `openTerminal`. Binary messages are terminal output.',
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
    'An open terminal. If absent or ended, a new one is opened. At most 10 per workspace.',
  ),
  after: number(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Byte position of the output you have received. Absent: replays the last 256 KiB.'),
  cols: number(1, 1000).default(80).describe('Number of columns of a new terminal. Default: 80.'),
  rows: number(1, 1000).default(24).describe('Number of rows of a new terminal. Default: 24.'),
});
