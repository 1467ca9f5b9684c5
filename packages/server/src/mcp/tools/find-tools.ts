import type { LocalTool } from '@chatd/loop';
import { z } from 'zod';
import { agentTool } from '../../tools/agent-tool.ts';
import { FIND_TOOLS } from './found-tools.ts';
import { search, type Searchable } from './search.ts';

const SHOWN = 300;
const USUAL = 8;
const MAX = 20;

const Input = z.strictObject({
  query: z.string().min(1).max(400).describe('Words from the name or description of the tool'),
  limit: z
    .int()
    .min(1)
    .max(MAX)
    .optional()
    .describe(`Maximum number of results. Default: ${USUAL}`),
});

/** Searches tools that exceed the budget. Found tools can be called from the next step on. */
export function findTools(tools: readonly Searchable[]): LocalTool {
  return agentTool({
    name: FIND_TOOLS,
    description: `Search ${tools.length} additional tools by name and description. Tools that it returns can be called afterwards.`,
    input: Input,
    idempotent: true,
    readOnly: true,
    run({ query, limit = USUAL }) {
      const found = search(tools, query, limit);
      if (found.length === 0) {
        return { tools: [], note: 'No matches. Try other or fewer words.' };
      }
      return {
        tools: found.map(({ name, description }) => ({
          name,
          description: description.slice(0, SHOWN),
        })),
        note: 'You can call these tools now.',
      };
    },
  });
}
