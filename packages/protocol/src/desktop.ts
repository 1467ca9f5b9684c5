import { z } from 'zod';
import { Flag } from './page.ts';

/** The desktop of a chat's workspace, and who moves its pointer and its keys. */
export const DesktopStatus = z
  .object({
    running: z.boolean().describe('There is one, on the server that answers.'),
    reason: z.string().optional().describe('Why there is none, in words. Absent while one runs.'),
    width: z
      .int()
      .describe('Pixels of its screen, or of the one that there would be. It does not change.'),
    height: z.int().describe('The same, from top to bottom.'),
    controller: z
      .enum(['agent', 'person'])
      .describe(
        'Who moves the pointer and the keys. While it is a `person`, actions of agents wait.',
      ),
    controlled_by: z
      .string()
      .nullable()
      .describe('The user name of that person. Null while it is the agent.'),
    agent_waits: z
      .boolean()
      .describe(
        'An agent would go on if no person had control. After 15 minutes it gives its action up.',
      ),
    viewers: z.int().describe('How many connections look at it now, those with control included.'),
  })
  .meta({
    id: 'DesktopStatus',
    description: "The desktop of a chat's workspace, and who moves its pointer and its keys.",
  });
export type DesktopStatus = z.infer<typeof DesktopStatus>;

/** What a client says in text messages; binary ones are RFB. */
export const DesktopRequest = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('take_control').describe('Take control.') }).meta({
      title: 'take_control',
      description:
        'Pointer and keys are yours, whoever had them before. Nothing happens for a token without the scope `write`.',
    }),
    z.object({ type: z.literal('give_back').describe('Give control back.') }).meta({
      title: 'give_back',
      description: 'Agents go on. Nothing happens unless you have control.',
    }),
  ])
  .meta({
    id: 'DesktopRequest',
    description: 'What a client of `openDesktop` says in text messages; its binary ones are RFB.',
  });
export type DesktopRequest = z.infer<typeof DesktopRequest>;

/** What the server says in text messages, to clients that asked for it: at once, and whenever it changes. */
export const DesktopNotice = DesktopStatus.extend({
  type: z.literal('status').describe('The only kind there is.'),
  yours: z.boolean().describe('Control is with this very connection.'),
}).meta({
  id: 'DesktopNotice',
  description:
    'What the server of `openDesktop` says in text messages, to clients that asked with `status=true`: at once, and whenever it changes.',
});
export type DesktopNotice = z.infer<typeof DesktopNotice>;

export const DesktopQuery = z.strictObject({
  mode: z
    .enum(['view', 'control'])
    .default('view')
    .describe(
      '`view`: what you do to pointer, keys and clipboard is dropped. `control`: you have control from the start, whoever had it before; needs the scope `write`.',
    ),
  status: Flag.default(false).describe(
    'Be told in text messages who has control, beside the binary ones that are RFB. False unless given.',
  ),
  start: Flag.default(false).describe(
    'Start a desktop where none runs; needs the scope `write`. False unless given: then one is only started where the template asks for one.',
  ),
});
