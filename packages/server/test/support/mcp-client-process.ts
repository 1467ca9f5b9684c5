import { Client } from '@modelcontextprotocol/client';
import { ChildTransport } from '../../src/mcp/stdio/child-transport.ts';

/* A process with a client of an MCP server, until it is killed. It prints `connected` once the client is. */
const [command = '', ...args] = process.argv.slice(2);
const client = new Client({ name: 'holder', version: '1' });
await client.connect(new ChildTransport({ command, args, env: {} }));
await client.listTools();
process.stdout.write('connected\n');
setInterval(() => undefined, 1000);
