import { JsonObject } from '@chatd/protocol';
import { z } from 'zod';

/** A tool as described by a server: the fields that chatd uses, parsed leniently. */
export const ServerTool = z.object({
  name: z.string().min(1).max(512),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: JsonObject,
  annotations: z
    .object({
      title: z.string().optional().catch(undefined),
      readOnlyHint: z.boolean().optional().catch(undefined),
      idempotentHint: z.boolean().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  execution: z
    .object({ taskSupport: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
export type ServerTool = z.infer<typeof ServerTool>;

export interface SkippedTool {
  readonly name: string;
  readonly reason: string;
}

export interface ToolList {
  readonly tools: readonly ServerTool[];
  readonly left_out: readonly SkippedTool[];
  readonly instructions: string;
  readonly server: { readonly name: string; readonly version: string };
}
