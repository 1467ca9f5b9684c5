import { z } from 'zod';
import { Flag } from './page.ts';

/** The desktop of a chat's workspace, and who moves its pointer and its keys. */
export const DesktopStatus = z
  .object({
    running: z.boolean(),
    /** Why there is none, and what to do. */
    reason: z.string().optional(),
    width: z.int(),
    height: z.int(),
    controller: z.enum(['agent', 'person']),
    /** The name of the person. */
    controlled_by: z.string().nullable(),
    /** An agent would go on if no person had control. */
    agent_waits: z.boolean(),
    /** How many people look at it now. */
    viewers: z.int(),
  })
  .meta({ id: 'DesktopStatus' });
export type DesktopStatus = z.infer<typeof DesktopStatus>;

/** What a client says in text messages; binary ones are RFB. */
export const DesktopRequest = z.discriminatedUnion('type', [
  z.object({ type: z.literal('take_control') }),
  z.object({ type: z.literal('give_back') }),
]);
export type DesktopRequest = z.infer<typeof DesktopRequest>;

/** What the server says in text messages, to clients that asked for it: at once, and whenever it changes. */
export const DesktopNotice = DesktopStatus.extend({
  type: z.literal('status'),
  /** Control is with this very connection. */
  yours: z.boolean(),
});
export type DesktopNotice = z.infer<typeof DesktopNotice>;

export const DesktopQuery = z.strictObject({
  mode: z
    .enum(['view', 'control'])
    .default('view')
    .describe('With control, you have it from the start, whoever had it before'),
  status: Flag.default(false).describe(
    'Be told in text messages who has control, beside the binary ones that are RFB',
  ),
  start: Flag.default(false).describe('Start a desktop where none runs'),
});
