import { type LocalTool, tool } from '@chatd/loop';
import { type JsonObject, networkMode } from '@chatd/protocol';
import { z } from 'zod';
import type { Templates } from '../../workspaces/templates.ts';
import { requireTemplate } from './require-template.ts';

const Input = z.strictObject({ template: z.string().min(1).describe('its name or id') });

export const readTemplate = (templates: Templates): LocalTool =>
  tool({
    name: 'read_template',
    description: 'All about a template: its source, set-up script, limits and network.',
    input: Input,
    idempotent: true,
    async run({ template }) {
      const { id, name, definition } = await requireTemplate(templates, template);
      const { env = {}, network, ...rest } = definition;
      // Values of the environment are for the programs of the workspace.
      return {
        id,
        name,
        ...(rest as JsonObject),
        env: Object.keys(env),
        network: networkMode(network),
      };
    },
  });
