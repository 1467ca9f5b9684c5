import type { LocalTool } from '@chatd/loop';
import { type JsonObject, networkMode } from '@chatd/protocol';
import { z } from 'zod';
import type { Templates } from '../../workspaces/templates.ts';
import { requireTemplate } from './require-template.ts';
import { agentTool } from '../agent-tool.ts';

const Input = z.strictObject({ template: z.string().min(1).describe('Name or id') });

export const readTemplate = (templates: Templates): LocalTool =>
  agentTool({
    name: 'read_template',
    description: 'Read a template: its source, setup script, limits and network access.',
    input: Input,
    idempotent: true,
    readOnly: true,
    async run({ template }) {
      const { id, name, definition } = await requireTemplate(templates, template);
      const { env = {}, network, ...rest } = definition;
      // Environment values are for programs in the workspace, not for the model.
      return {
        id,
        name,
        ...(rest as JsonObject),
        env: Object.keys(env),
        network: networkMode(network),
      };
    },
  });
