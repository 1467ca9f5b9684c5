import { Client } from '@modelcontextprotocol/client';
import { ChildTransport } from '../../src/mcp/stdio/child-transport.ts';

/* A server that has a client of an MCP server, and then is killed. It says when it is connected. */
const [command = '', ...args] = process.argv.slice(2);
const client = new Client({ name: 'holder', version: '1' });
await client.connect(new ChildTransport({ command, args, env: {} }));
await client.listTools();
process.stdout.write('connected\n');
setInterval(() => undefined, 1000);
