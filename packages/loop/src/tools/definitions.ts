import type { LanguageModelV4FunctionTool, LanguageModelV4ProviderTool } from '@ai-sdk/provider';
import type { ToolNames } from './names.ts';
import type { ModelName, NativeTool } from './native-tool.ts';
import { jsonSchema } from './schema.ts';
import type { Tool } from './tool.ts';

export type ToolDefinition = LanguageModelV4FunctionTool | LanguageModelV4ProviderTool;

/** The tools offered to the model: the active tools, in a fixed order, and every provider tool. */
export function toolDefinitions(
  tools: readonly Tool[],
  active: readonly string[] | undefined,
  names: ToolNames,
  natives: ReadonlyMap<string, NativeTool> = new Map(),
): ToolDefinition[] {
  const allowed = active === undefined ? undefined : new Set(active);
  return tools.flatMap((tool): ToolDefinition[] => {
    if ('provider' in tool) return [{ type: 'provider', ...tool.provider }];
    if (allowed?.has(tool.name) === false) return [];
    const name = names.toProvider(tool.name);
    const native = natives.get(name);
    if (native !== undefined) {
      return [{ type: 'provider', id: native.id, name, args: { ...native.args } }];
    }
    return [
      {
        type: 'function',
        name,
        inputSchema: jsonSchema(tool.input),
        ...(tool.description !== undefined && { description: tool.description }),
      },
    ];
  });
}

/** Tools that the model has its own definition for, by the name that the provider sees. */
export function nativeTools(
  tools: readonly Tool[],
  names: ToolNames,
  model: ModelName,
): Map<string, NativeTool> {
  return new Map(
    tools.flatMap((tool): [string, NativeTool][] => {
      const native = 'run' in tool ? tool.native?.(model) : undefined;
      return native === undefined || !('run' in tool)
        ? []
        : [[names.toProvider(tool.name), native]];
    }),
  );
}
