import type { LocalTool } from '@chatd/loop';
import { z } from 'zod';
import type { Templates } from '../../workspaces/templates.ts';
import { agentTool } from '../agent-tool.ts';

const Input = z.strictObject({});

export const listTemplates = (templates: Templates): LocalTool =>
  agentTool({
    name: 'list_templates',
    description: 'List the templates from which a workspace can be created.',
    input: Input,
    idempotent: true,
    readOnly: true,
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
