import { z } from 'zod';
import { Flag } from './page.ts';

export const DesktopStatus = z
  .object({
    running: z.boolean().describe('True if a desktop is running on the server that responds.'),
    reason: z
      .string()
      .optional()
      .describe('Why no desktop is running. Absent while one is running.'),
    width: z.int().describe('Width of the screen in pixels, current or future. Constant.'),
    height: z.int().describe('Height of the screen in pixels.'),
    controller: z
      .enum(['agent', 'person'])
      .describe('Who controls mouse and keyboard. While it is `person`, actions of agents wait.'),
    controlled_by: z
      .string()
      .nullable()
      .describe('User name of the person in control. Null while the agent is in control.'),
    agent_waits: z
      .boolean()
      .describe('True if an agent is waiting for control. Its action fails after 15 minutes.'),
    viewers: z.int().describe('Number of open connections, including the one in control.'),
  })
  .meta({
    id: 'DesktopStatus',
    description: "The desktop of a chat's workspace, and who controls it.",
  });
export type DesktopStatus = z.infer<typeof DesktopStatus>;

export const DesktopRequest = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('take_control').describe('Take control.') }).meta({
      title: 'take_control',
      description:
        'Takes control of mouse and keyboard from the agent or another user. Ignored without the `write` scope.',
    }),
    z.object({ type: z.literal('give_back').describe('Give control back.') }).meta({
      title: 'give_back',
      description: 'Returns control to the agents. Ignored unless you are in control.',
    }),
  ])
  .meta({
    id: 'DesktopRequest',
    description: 'Text message from a client of `openDesktop`. Binary messages are RFB.',
  });
export type DesktopRequest = z.infer<typeof DesktopRequest>;

export const DesktopNotice = DesktopStatus.extend({
  type: z.literal('status').describe('Type of the message.'),
  yours: z.boolean().describe('True if this connection is in control.'),
}).meta({
  id: 'DesktopNotice',
  description:
    'Text message from the server of `openDesktop`, sent on connect and on every change to clients with `status=true`.',
});
export type DesktopNotice = z.infer<typeof DesktopNotice>;

export const DesktopQuery = z.strictObject({
  mode: z
    .enum(['view', 'control'])
    .default('view')
    .describe(
      '`view`: mouse, keyboard and clipboard input is ignored. `control`: take control on connect; requires the `write` scope.',
    ),
  status: Flag.default(false).describe(
    'Sends `DesktopNotice` text messages in addition to the binary RFB messages. Default: false.',
  ),
  start: Flag.default(false).describe(
    'Starts a desktop if none is running; requires the `write` scope. Default: false, which starts one only if the template has a desktop.',
  ),
});
