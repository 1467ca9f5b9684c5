import type { LocalTool, Tool } from '@chatd/loop';
import type { ChatRow } from '../chat/row.ts';

/** A tool of the server, made for one chat: it knows whose it is. */
export type ServerTool = LocalTool;

/**
 * What the model of a chat may call: the server's tools, and those that the chat's own client executes. A client's
 * tool goes before one of the server's with the same name: the client knows which it meant.
 */
export function chatTools(
  chat: ChatRow,
  server: readonly ServerTool[],
  prepare: (tool: ServerTool) => ServerTool,
): Tool[] {
  const dynamic = chat.dynamic_tools.map(({ name, description, input_schema }) => ({
    name,
    description,
    input: input_schema,
    answeredBy: 'client' as const,
  }));
  const taken = new Set(dynamic.map(({ name }) => name));
  return [...server.filter(({ name }) => !taken.has(name)).map(prepare), ...dynamic];
}
