import { systemClock } from '@chatd/loop';
import type { Json } from '@chatd/protocol';
import { pino } from 'pino';
import { fixedCredentials } from '../../src/mcp/fetch/credentials.ts';
import { McpConnection, TIMING } from '../../src/mcp/mcp-connection.ts';
import { ProtocolEras } from '../../src/mcp/protocol-eras.ts';

/* chatd's MCP client for the conformance suite: connects to the server in the last argument and calls its tools. */
const url = new URL(process.argv.at(-1) ?? '');
const connection = new McpConnection({
  name: 'conformance',
  version: '1',
  timeoutMs: 10_000,
  access: () => Promise.resolve({ transport: 'http', url, credentials: fixedCredentials({}) }),
  fetch,
  era: new ProtocolEras(systemClock).of('server'),
  clock: systemClock,
  timing: TIMING,
  log: pino({ level: 'silent' }),
});
/** The calls that the scenario requests. Default: each tool once. */
const { toolCalls } = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  readonly toolCalls?: readonly {
    readonly name: string;
    readonly arguments: { [key: string]: Json };
  }[];
};
const { tools } = await connection.toolList();
const calls = toolCalls ?? tools.map(({ name }) => ({ name, arguments: { a: 2, b: 3 } }));
for (const { name, arguments: args } of calls) {
  const call = { signal: new AbortController().signal, onProgress: () => undefined };
  // Some servers only check the request.
  await connection.call(name, args, call).catch(() => undefined);
}
await connection.close();
