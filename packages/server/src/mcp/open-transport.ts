import type { Transport } from '@modelcontextprotocol/client';
import type { McpAccess } from './access.ts';
import { authorizedFetch } from './fetch/credentials.ts';
import type { Fetch } from './fetch/mcp-fetch.ts';
import { type CallId, watchStreams } from './fetch/call-streams.ts';

export interface OpenedTransport {
  readonly transport: Transport;
  /** Over stdin and stdout. */
  readonly isProgram: boolean;
  /** The transport exists only in older revisions. */
  readonly isLegacy: boolean;
  stderrTail(): string;
  /** Whether the server keeps state for this connection. Known once it is open. */
  isStateful(): boolean;
  endSession(): Promise<void>;
}

const nothing = () => Promise.resolve();
const always = () => true;

const programTransport = (
  transport: Transport & { readonly stderrTail: string },
): OpenedTransport => ({
  transport,
  isProgram: true,
  isLegacy: false,
  stderrTail: () => transport.stderrTail,
  isStateful: always,
  endSession: nothing,
});

/** Creates a transport without sending anything. */
export async function openTransport(
  access: McpAccess,
  fetch: Fetch,
  streamEnded: (id: CallId, resumable: boolean) => void,
): Promise<OpenedTransport> {
  if (access.transport === 'stdio') {
    const { ChildTransport } = await import('./stdio/child-transport.ts');
    return programTransport(new ChildTransport(access.program));
  }
  if (access.transport === 'sandbox') {
    const { SandboxTransport } = await import('./sandbox/sandbox-transport.ts');
    return programTransport(new SandboxTransport(access.program));
  }
  const { SSEClientTransport, StreamableHTTPClientTransport } =
    await import('@modelcontextprotocol/client');
  const authorized = authorizedFetch(fetch, access.credentials);
  if (access.transport === 'sse') {
    const transport = new SSEClientTransport(access.url, { fetch: authorized });
    return {
      transport,
      isProgram: false,
      isLegacy: true,
      stderrTail: () => '',
      isStateful: always,
      endSession: nothing,
    };
  }
  const transport = new StreamableHTTPClientTransport(access.url, {
    fetch: watchStreams(authorized, streamEnded),
  });
  return {
    transport,
    isProgram: false,
    isLegacy: false,
    stderrTail: () => '',
    isStateful: () => transport.sessionId !== undefined,
    endSession: () => transport.terminateSession(),
  };
}
