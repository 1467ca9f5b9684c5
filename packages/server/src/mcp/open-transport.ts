import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { McpAccess } from './access.ts';
import { authorizedFetch } from './fetch/credentials.ts';
import type { Fetch } from './fetch/mcp-fetch.ts';
import { type CallId, watchStreams } from './fetch/call-streams.ts';
import { ChildTransport } from './stdio/child-transport.ts';

export interface OpenedTransport {
  readonly transport: Transport;
  /** The end of its stderr. */
  lastWords(): string;
  /** Whether the server keeps state for this connection. Known once it is open. */
  isStateful(): boolean;
  /** Ends the session on the server, if there is one. */
  leave(): Promise<void>;
}

const nothing = () => Promise.resolve();
const always = () => true;

/** Creates a transport without sending anything. */
export function openTransport(
  access: McpAccess,
  fetch: Fetch,
  streamEnded: (id: CallId, resumable: boolean) => void,
): OpenedTransport {
  if (access.transport === 'stdio') {
    const transport = new ChildTransport(access.program);
    return { transport, lastWords: () => transport.lastWords, isStateful: always, leave: nothing };
  }
  const authorised = authorizedFetch(fetch, access.credentials);
  if (access.transport === 'sse') {
    const transport = new SSEClientTransport(access.url, { fetch: authorised });
    return { transport, lastWords: () => '', isStateful: always, leave: nothing };
  }
  const transport = new StreamableHTTPClientTransport(access.url, {
    fetch: watchStreams(authorised, streamEnded),
  });
  return {
    transport,
    lastWords: () => '',
    isStateful: () => transport.sessionId !== undefined,
    leave: () => transport.terminateSession(),
  };
}
