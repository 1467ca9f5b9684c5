import { type LocalTool, tool } from '@chatd/loop';
import { z } from 'zod';
import { FIND_TOOLS } from './found-tools.ts';
import { search, type Searchable } from './search.ts';

const SHOWN = 300;
const USUAL = 8;
const MOST = 20;

const Input = z.strictObject({
  query: z.string().min(1).max(400).describe('Words of the name or the description of the tool'),
  limit: z.int().min(1).max(MOST).optional().describe(`How many to find, ${USUAL} unless told`),
});

/** Searches the tools that are too many to be offered; what it finds can be called from the next step on. */
export function findTools(tools: readonly Searchable[]): LocalTool {
  return tool({
    name: FIND_TOOLS,
    description: `Finds tools among ${tools.length} further ones by their name and description. Those that it finds can be called afterwards, like any other tool.`,
    input: Input,
    idempotent: true,
    run({ query, limit = USUAL }) {
      const found = search(tools, query, limit);
      if (found.length === 0) {
        return { tools: [], note: 'Nothing fits. Try other words, or fewer.' };
      }
      return {
        tools: found.map(({ name, description }) => ({
          name,
          description: description.slice(0, SHOWN),
        })),
        note: 'These tools can be called now.',
      };
    },
  });
}
