import { type LocalTool, tool } from '@chatd/loop';
import { z } from 'zod';
import { describe, whenMade } from './answer.ts';
import type { Seat } from './seat.ts';

const Input = z.strictObject({});

export const startWorkspace = (seat: Seat): LocalTool =>
  tool({
    name: 'start_workspace',
    description:
      "Starts this chat's workspace after it was stopped; one whose set-up failed is set up again, from the beginning.",
    input: Input,
    idempotent: true,
    async run(_, context) {
      const row = await seat.workspaces.restart(await seat.row());
      return row.status === 'ready'
        ? await describe(seat, row)
        : await whenMade(seat, row, context);
    },
  });
