import type { AwaitedTool, LocalTool, Tool } from '@chatd/loop';
import type { ChatRow } from '../chat/row.ts';

/**
 * What the model of a chat may call: the tools that its own client executes, and those of the server. A client's
 * tool goes before one of the server's with the same name: the client knows which it meant.
 */
export function chatTools(
  chat: ChatRow,
  server: readonly Tool[],
  prepare: (tool: LocalTool) => LocalTool,
): Tool[] {
  const dynamic = chat.dynamic_tools.map(({ name, description, input_schema }): AwaitedTool => ({
    name,
    description,
    input: input_schema,
    answeredBy: 'client',
  }));
  const named = new Map<string, Tool>();
  for (const tool of [...dynamic, ...server]) {
    const name = 'provider' in tool ? tool.provider.name : tool.name;
    if (!named.has(name)) named.set(name, 'run' in tool ? prepare(tool) : tool);
  }
  return [...named.values()];
}
