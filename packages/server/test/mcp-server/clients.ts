import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The part of the clients that the tests use. */
export interface McpClient {
  tools(): Promise<string[]>;
  call(
    name: string,
    args: Record<string, unknown>,
    onprogress?: (message: string | undefined) => void,
  ): Promise<{ isError?: boolean; structuredContent?: unknown; content: unknown }>;
  resources(): Promise<{ uri: string; name: string }[]>;
  read(uri: string): Promise<string>;
  close(): Promise<void>;
}

const INFO = { name: 'test', version: '1.0.0' };
const endpoint = (url: string, token: string) =>
  [
    new URL('/mcp', url),
    { requestInit: { headers: { authorization: `Bearer ${token}` } } },
  ] as const;

export type Connect = (url: string, token: string) => Promise<McpClient>;

const current =
  (options: ClientOptions): Connect =>
  async (url, token) => {
    const client = new Client(INFO, options);
    await client.connect(new StreamableHTTPClientTransport(...endpoint(url, token)));
    return facade(client);
  };

const older: Connect = async (url, token) => {
  const client = new OlderClient(INFO);
  await client.connect(new OlderTransport(...endpoint(url, token)));
  return {
    ...facade(client as never),
    call: (name, args, onprogress) =>
      client.callTool({ name, arguments: args }, undefined, progress(onprogress)) as never,
  };
};

export const CLIENTS: Readonly<Record<string, Connect>> = {
  'the client at 2026-07-28': current({ versionNegotiation: { mode: { pin: '2026-07-28' } } }),
  'the client with a handshake': current({}),
  'the older SDK': older,
};

const progress = (onprogress?: (message: string | undefined) => void) =>
  onprogress && {
    onprogress: ({ message }: { message?: string | undefined }) => onprogress(message),
  };

function facade(client: Client): McpClient {
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args, onprogress) =>
      client.callTool({ name, arguments: args }, progress(onprogress)) as never,
    resources: async () => (await client.listResources()).resources,
    async read(uri) {
      const [first] = (await client.readResource({ uri })).contents;
      return first !== undefined && 'text' in first ? first.text : '';
    },
    close: () => client.close(),
  };
}
