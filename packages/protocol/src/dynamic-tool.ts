import { z } from 'zod';
import { JsonObject } from './json.ts';

/** Calls and results with this name represent summaries of the history. No tool can have it. */
export const SUMMARY_TOOL = 'chat_summarized';

export const DynamicTool = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -')
      .meta({
        description:
          'Name of the tool: 1 to 64 letters, digits, `_` or `-`. Unique in the chat. Takes precedence over a server tool with the same name. `chat_summarized` is reserved.',
        examples: ['open_file'],
      }),
    description: z
      .string()
      .max(8192)
      .default('')
      .describe('Tells the model what the tool does and when to call it.'),
    input_schema: JsonObject.default({ type: 'object', properties: {} }).meta({
      description:
        'JSON Schema of the arguments, passed to the model unchanged. The server does not validate arguments against it.',
      examples: [{ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }],
    }),
  })
  .meta({
    id: 'DynamicTool',
    description:
      'A tool that a client executes. When the model calls it, the chat waits in `requires_action` for `submitToolResults`. Timeout: `dynamic_tool_timeout_seconds` in the settings.',
  });
export type DynamicTool = z.infer<typeof DynamicTool>;

export const DynamicTools = z
  .array(DynamicTool)
  .max(128)
  .superRefine((tools, context) => {
    const seen = new Set<string>();
    for (const [index, { name }] of tools.entries()) {
      if (name === SUMMARY_TOOL) {
        context.addIssue({
          code: 'custom',
          path: [index, 'name'],
          message: `the name ${name} is reserved; rename the tool`,
          params: { code: 'reserved_tool_name' },
        });
      }
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
