import { type LocalTool, tool } from '@chatd/loop';
import { z } from 'zod';
import type { Templates } from '../../workspaces/templates.ts';

export const listTemplates = (templates: Templates): LocalTool =>
  tool({
    name: 'list_templates',
    description: 'What a workspace can be made from.',
    input: z.strictObject({}),
    idempotent: true,
    async run() {
      const all = await templates.list();
      return {
        templates: all.map(({ name, definition: { description, driver } }) => ({
          name,
          driver,
          ...(description !== undefined && { description }),
        })),
      };
    },
  });
