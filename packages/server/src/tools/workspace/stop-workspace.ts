import { type LocalTool, tool } from '@chatd/loop';
import { z } from 'zod';
import type { Seat } from './seat.ts';

const Input = z.strictObject({});

export const stopWorkspace = (seat: Seat): LocalTool =>
  tool({
    name: 'stop_workspace',
    description:
      "Stops this chat's workspace: what runs in it ends, its files are kept. start_workspace starts it again.",
    input: Input,
    idempotent: true,
    async run() {
      const { name } = await seat.workspaces.stop(await seat.row());
      return `The workspace ${name} is stopped. Its files are kept.`;
    },
  });
