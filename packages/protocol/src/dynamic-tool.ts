import { z } from 'zod';
import { JsonObject } from './json.ts';

/** A tool that the client executes: the chat waits in `requires_action` for its results. */
export const DynamicTool = z
  .strictObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -'),
    description: z.string().max(8192).default(''),
    input_schema: JsonObject.default({ type: 'object', properties: {} }),
  })
  .meta({ id: 'DynamicTool' });
export type DynamicTool = z.infer<typeof DynamicTool>;

export const DynamicTools = z
  .array(DynamicTool)
  .max(128)
  .superRefine((tools, context) => {
    const seen = new Set<string>();
    for (const [index, { name }] of tools.entries()) {
      if (seen.has(name)) {
        context.addIssue({
          code: 'custom',
          path: [index, 'name'],
          message: `the tool ${name} is declared twice`,
          params: { code: 'duplicate_tool_name' },
        });
      }
      seen.add(name);
    }
  });
