import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';

export interface OwnTool extends Partial<Omit<Tool, 'name'>> {
  readonly name: string;
  readonly run?: (
    args: Record<string, unknown>,
    signal: AbortSignal,
  ) => CallToolResult | Promise<CallToolResult>;
}

export interface OwnServer {
  readonly url: string;
  readonly port: number;
  tools: OwnTool[];
  readonly headers: IncomingHttpHeaders[];
  readonly calls: string[];
  /** Open sessions. */
  readonly sessions: Map<string, Server>;
  /** The ids of all sessions so far. */
  readonly begun: string[];
  toolsChanged(): Promise<void>;
  /** Stops immediately and closes all connections. */
  stop(): Promise<void>;
}

export const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

/** An MCP server built with the SDK, for behavior that published servers do not have. The test defines its tools. */
export async function startOwnServer(
  tools: OwnTool[],
  atEnd: (stop: () => Promise<void>) => void,
  options: {
    port?: number;
    /** Returns true if it has answered the request. */
    before?: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;
  } = {},
): Promise<OwnServer> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const sessions = new Map<string, Server>();
  const headers: IncomingHttpHeaders[] = [];
  const begun: string[] = [];
  const own = { tools, calls: [] as string[] };

  const begin = async () => {
    const server = mcpServer(own);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized(id) {
        transports.set(id, transport);
        sessions.set(id, server);
        begun.push(id);
      },
      onsessionclosed(id) {
        transports.delete(id);
        sessions.delete(id);
      },
    });
    await server.connect(transport);
    return transport;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    if ((await options.before?.(request, response)) === true) return;
    headers.push(request.headers);
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? transports.get(id) : undefined;
    if (id !== undefined && known === undefined) {
      response.writeHead(404).end();
      return;
    }
    await (known ?? (await begin())).handleRequest(request, response);
  };
  const http = createServer((request, response) => void handle(request, response));
  http.listen(options.port ?? 0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const stop = async () => {
    if (!http.listening) return;
    const closed = once(http, 'close');
    http.close();
    http.closeAllConnections();
    await closed;
  };
  atEnd(stop);
  return Object.assign(own, {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    headers,
    sessions,
    begun,
    stop,
    async toolsChanged() {
      for (const server of sessions.values()) await server.sendToolListChanged();
    },
  });
}

function mcpServer(own: { tools: OwnTool[]; calls: string[] }): Server {
  const server = new Server(
    { name: 'own', version: '1' },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: own.tools.map((tool) => ({
      inputSchema: { type: 'object' as const },
      ...tool,
      run: undefined,
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    own.calls.push(params.name);
    const tool = own.tools.find(({ name }) => name === params.name);
    if (tool === undefined) throw new Error(`no tool ${params.name}`);
    return (await tool.run?.(params.arguments ?? {}, signal)) ?? said(`${params.name} ran`);
  });
  return server;
}
