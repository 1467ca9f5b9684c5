import { type Client, connectionOfClient } from './client.ts';
import { type RunToolsOptions, serveTools, type ToolRun } from './tools/run-tools.ts';
import type { AnyTools, ServedTools } from './tools/tool.ts';

/**
 * Runs tools in this program: declares them to the chat and answers its calls, in parallel, until stopped. After a
 * restart, it also answers calls that were made in the meantime.
 */
export function runTools<Schemas>(
  client: Client,
  chatId: string,
  tools: ServedTools<Schemas>,
  options?: RunToolsOptions,
): ToolRun {
  return serveTools(connectionOfClient(client), chatId, tools as unknown as AnyTools, options);
}

/** The declarations of tools, for `dynamic_tools` of `createChat`. */
export { declarationsOf as dynamicTools } from './tools/tool.ts';
