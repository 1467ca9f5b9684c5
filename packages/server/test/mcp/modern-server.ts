import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

export interface ModernServer {
  readonly url: string;
  /** The methods of all requests, in order. */
  readonly methods: string[];
  readonly authorizations: (string | null)[];
  readonly headers: Headers[];
  /** Calls of `wait` that were canceled. */
  readonly canceled: string[];
  readonly waiting: Promise<void>;
  addTool(name: string): void;
}

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

/** A server of the revision 2026-07-28, from the official SDK, which refuses older clients. */
export async function startModernServer(
  atEnd: (stop: () => Promise<void>) => unknown,
): Promise<ModernServer> {
  const methods: string[] = [];
  const authorizations: (string | null)[] = [];
  const headers: Headers[] = [];
  const canceled: string[] = [];
  const tools = ['ping'];
  const waiting = Promise.withResolvers<void>();

  const handler = createMcpHandler(
    () => {
      const server = new McpServer(
        { name: 'modern', version: '1' },
        { instructions: 'Be modern.', capabilities: { tools: { listChanged: true } } },
      );
      for (const name of tools) {
        server.registerTool(name, { inputSchema: z.object({}) }, () => said(`${name} ran`));
      }
      server.registerTool(
        'steps',
        { inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }) },
        async ({ region }, { mcpReq }) => {
          const { _meta: meta } = mcpReq;
          const progressToken = meta?.progressToken;
          if (progressToken !== undefined) {
            const params = { progressToken, progress: 1, total: 2, message: 'half' };
            await mcpReq.notify({ method: 'notifications/progress', params });
          }
          return said(`in ${region}`);
        },
      );
      server.registerTool('wait', { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
        waiting.resolve();
        await once(mcpReq.signal, 'abort');
        canceled.push('wait');
        return said('too late');
      });
      server.registerTool('ask', { inputSchema: z.object({}) }, () =>
        inputRequired({
          inputRequests: {
            name: inputRequired.elicit({
              message: 'Your name?',
              requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
            }),
          },
        }),
      );
      return server;
    },
    { legacy: 'reject' },
  );
  const listener = getRequestListener(async (request) => {
    if (request.method === 'POST') {
      const { method } = (await request.clone().json()) as { readonly method: string };
      methods.push(method);
      headers.push(request.headers);
      authorizations.push(request.headers.get('authorization'));
    }
    return await handler.fetch(request);
  });
  const http = createServer((request, response) => void listener(request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  atEnd(async () => {
    const closed = once(http, 'close');
    http.close();
    http.closeAllConnections();
    await closed;
  });
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    methods,
    authorizations,
    headers,
    canceled,
    waiting: waiting.promise,
    addTool(name) {
      tools.push(name);
      handler.notify.toolsChanged();
    },
  };
}
