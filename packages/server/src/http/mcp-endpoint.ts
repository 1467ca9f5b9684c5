import type { ChatEvent, RouteName } from '@chatd/protocol';
import { type ApiCalls, ApiProblem } from '../mcp-server/api-calls.ts';
import { LocalOutlet } from '../stream/local-outlet.ts';
import { type Exchange, tokenOnly } from './exchange.ts';
import type { FaceHandler } from './face-handler.ts';
import { DATA_HEADERS } from './headers.ts';
import { bodyOfInner, innerCalls } from './inner-calls.ts';
import { asProblem } from './problem.ts';
import { JSON_BYTES_LIMIT, readBody } from './request/body.ts';
import { type Serve, Streaming } from './serve.ts';
import type { Services } from './services.ts';

export const MCP_PATH = '/mcp';

/** The MCP server: its tools are calls of the API with the token of the client, within the same limits. */
export function mcpEndpoint(
  services: Services,
  serves: Readonly<Record<RouteName, Serve>>,
): FaceHandler {
  const load = async () => {
    // Imported with the first request, because its schemas slow down the start of the server.
    const [{ createMcpHandler }, { chatServer }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('../mcp-server/chat-tools.ts'),
    ]);
    return createMcpHandler(
      ({ authInfo }) => chatServer(authInfo?.extra?.['api'] as ApiCalls, services.version),
      {
        // Subscriptions would be streams outside of the limits.
        maxSubscriptions: 0,
        onerror: (err) => services.log.debug({ err }, 'MCP request'),
      },
    );
  };
  let handler: ReturnType<typeof load> | undefined;

  return async ({ exchange, request }) => {
    try {
      const caller = await services.authorizer.authorize(tokenOnly(exchange), 'read');
      // Only for reading: the calls of the tools have their own places.
      const leave = await services.limits.admit('listVersions', { caller, exchange, query: {} });
      const bytes = await readBody(exchange.incoming, JSON_BYTES_LIMIT).finally(leave);
      const { url, method, headers, signal } = request;
      const body = new Uint8Array(bytes);
      const parsed = new Request(url, { method, headers, signal, body });
      handler ??= load();
      const extra = { api: apiCalls(services, serves, exchange) };
      const authInfo = { token: '', clientId: 'chatd', scopes: [], extra };
      return await (await handler).fetch(parsed, { authInfo });
    } catch (error) {
      if (asProblem(error).unexpected) throw error;
      return errorResponse(error);
    }
  };
}

/** A refusal in the form of the protocol. */
function errorResponse(error: unknown): Response {
  const { status, headers, body } = asProblem(error);
  const { detail: message, code } = body;
  const response = { jsonrpc: '2.0', id: null, error: { code: -32_000, message, data: { code } } };
  return Response.json(response, { status, headers: { ...DATA_HEADERS, ...headers } });
}

function apiCalls(
  services: Services,
  serves: Readonly<Record<RouteName, Serve>>,
  outer: Exchange,
): ApiCalls {
  const inner = innerCalls(services, serves, outer);
  const perform: typeof inner = async (name, input) => {
    try {
      return await inner(name, input);
    } catch (error) {
      const { body, unexpected } = asProblem(error);
      if (unexpected) services.log.error({ err: error, route: name }, 'request failed');
      throw new ApiProblem(body.code, body.detail ?? body.title);
    }
  };
  return {
    // The types are those of the route.
    call: async (name, input) => (await bodyOfInner(await perform(name, input))) as never,
    async follow(chatId, onEvent, signal) {
      const params = { chat_id: chatId };
      const stream = await perform('streamChat', { params, query: { tail: 0 } });
      if (!(stream instanceof Streaming)) throw new Error('There is no stream.');
      if (signal.aborted) return stream.joining.cancel();
      const outlet = new LocalOutlet(({ events }) => {
        for (const { json } of events) {
          if (!signal.aborted) onEvent(JSON.parse(json) as ChatEvent);
        }
      });
      signal.addEventListener('abort', () => outlet.close(), { once: true });
      stream.joining.open(outlet);
      await outlet.closed;
    },
  };
}
