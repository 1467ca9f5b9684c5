import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { TicketFile } from './ticket-file.ts';
import { ticketServer } from './tickets.ts';

const { TICKETS_TOKEN = '', PORT = '7799' } = process.env;
if (TICKETS_TOKEN === '') {
  console.error('Set TICKETS_TOKEN to the token that clients must send.');
  process.exit(2);
}
const tickets = new TicketFile(process.argv[2] ?? 'tickets.json');

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    console.error(error);
    if (!response.headersSent) response.writeHead(500);
    response.end();
  });
});

server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : PORT;
  console.error(`Listening at http://127.0.0.1:${port}/mcp`);
});

/** Stateless: every request is independent, so the server can restart at any time. */
async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isAllowed(request)) return void response.writeHead(401).end();
  if (request.url !== '/mcp') return void response.writeHead(404).end();
  if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end();
  const transport = new StreamableHTTPServerTransport();
  const mcp = ticketServer(tickets);
  response.once('close', () => void mcp.close());
  await mcp.connect(transport);
  await transport.handleRequest(request, response);
}

function isAllowed({ headers: { authorization = '' } }: IncomingMessage): boolean {
  return timingSafeEqual(hashed(authorization), hashed(`Bearer ${TICKETS_TOKEN}`));
}

function hashed(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
