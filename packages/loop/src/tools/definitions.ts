import type { LanguageModelV4FunctionTool, LanguageModelV4ProviderTool } from '@ai-sdk/provider';
import type { ToolNames } from './names.ts';
import { jsonSchema } from './schema.ts';
import type { Tool } from './tool.ts';

export type ToolDefinition = LanguageModelV4FunctionTool | LanguageModelV4ProviderTool;

/** What is offered to the model: the active tools, in a fixed order, and every provider tool. */
export function toolDefinitions(
  tools: readonly Tool[],
  active: readonly string[] | undefined,
  names: ToolNames,
): ToolDefinition[] {
  const allowed = active === undefined ? undefined : new Set(active);
  return tools.flatMap((tool): ToolDefinition[] => {
    if ('provider' in tool) return [{ type: 'provider', ...tool.provider }];
    if (allowed?.has(tool.name) === false) return [];
    return [
      {
        type: 'function',
        name: names.toProvider(tool.name),
        inputSchema: jsonSchema(tool.input),
        ...(tool.description !== undefined && { description: tool.description }),
      },
    ];
  });
}
