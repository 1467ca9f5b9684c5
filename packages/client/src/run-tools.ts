import { type Client, connectionOfClient } from './client.ts';
import { type RunToolsOptions, serveTools, type ToolRun } from './tools/run-tools.ts';
import type { AnyTools, ServedTools } from './tools/tool.ts';

/**
 * Serves tools that run in this program: declares them to the chat, and answers its calls, in parallel, until it is
 * stopped. A program that starts again answers what it was asked meanwhile.
 */
export function runTools<Schemas>(
  client: Client,
  chatId: string,
  tools: ServedTools<Schemas>,
  options?: RunToolsOptions,
): ToolRun {
  return serveTools(connectionOfClient(client), chatId, tools as unknown as AnyTools, options);
}

/** The declarations of tools, for `dynamic_tools` of a chat that is created. */
export { declarationsOf as dynamicTools } from './tools/tool.ts';
