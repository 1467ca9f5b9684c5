import type { McpServer } from '@agentclientprotocol/sdk';
import type { JsonObject } from '@chatd/protocol';
import type { CallToolResult, Client, Transport } from '@modelcontextprotocol/client';

/** The tools of the editor itself, and those of its servers, are at most 128. */
const MOST_TOOLS = 100;
const NAME_LENGTH = 64;
const DESCRIPTION_LENGTH = 8192;
const CONNECT_MS = 30_000;
/** The timeout of dynamic tools, by default. */
const CALL_MS = 300_000;

/** A tool of an MCP server, which runs on the computer of the user. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
  readonly call: (args: JsonObject, signal: AbortSignal) => Promise<unknown>;
}

export interface EditorMcpServers {
  readonly tools: readonly McpTool[];
  close(): Promise<void>;
}

/** Connects to the MCP servers that an editor passes to a session. A server that fails is left out. */
export async function openMcpServers(
  servers: readonly McpServer[],
  { cwd, version, log }: { cwd: string; version: string; log: (line: string) => void },
): Promise<EditorMcpServers> {
  if (servers.length === 0) return { tools: [], close: () => Promise.resolve() };
  // Loaded only for editors with servers.
  const { Client } = await import('@modelcontextprotocol/client');
  const clients: Client[] = [];
  const opened = await Promise.all(
    servers.map(async (server): Promise<McpTool[]> => {
      const client = new Client({ name: 'chatd', version });
      clients.push(client);
      try {
        const options = { timeout: CONNECT_MS };
        await client.connect(await transportOf(server, cwd), options);
        const { tools } = await client.listTools(undefined, options);
        return tools.map(({ name, description = '', inputSchema }) => ({
          name: `${server.name}_${name}`.replaceAll(/[^\w-]/g, '_').slice(0, NAME_LENGTH),
          description: description.slice(0, DESCRIPTION_LENGTH),
          schema: inputSchema as JsonObject,
          call: async (args, signal) =>
            resultOf(
              await client.callTool({ name, arguments: args }, { signal, timeout: CALL_MS }),
            ),
        }));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log(`The MCP server ${server.name} of the editor is left out. ${reason}`);
        return [];
      }
    }),
  );
  const tools = new Map(opened.flat().map((tool) => [tool.name, tool]));
  if (tools.size > MOST_TOOLS) {
    log(`Only ${MOST_TOOLS} of the ${tools.size} tools of the editor's MCP servers are used.`);
  }
  return {
    tools: [...tools.values()].slice(0, MOST_TOOLS),
    close: async () => void (await Promise.allSettled(clients.map((client) => client.close()))),
  };
}

async function transportOf(server: McpServer, cwd: string): Promise<Transport> {
  if ('command' in server) {
    const { getDefaultEnvironment, StdioClientTransport } =
      await import('@modelcontextprotocol/client/stdio');
    const { command, args } = server;
    const given = Object.fromEntries(server.env.map(({ name, value }) => [name, value]));
    const env = { ...getDefaultEnvironment(), ...given };
    return new StdioClientTransport({ command, args, env, cwd, stderr: 'ignore' });
  }
  if (server.type === 'sse') throw new Error('The SSE transport is not supported. Use HTTP.');
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]));
  return new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } });
}

/** The text of a result. Models get no images from dynamic tools. */
function resultOf({ content, structuredContent, isError }: CallToolResult): unknown {
  const text = content
    .map((part) => (part.type === 'text' ? part.text : `[${part.type}]`))
    .join('\n');
  if (isError === true) throw new Error(text || 'The tool failed.');
  return text || structuredContent || '';
}
