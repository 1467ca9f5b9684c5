import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { TicketFile } from './ticket-file.ts';
import { ticketServer } from './tickets.ts';

// Standard output is reserved for the protocol. Log to standard error.
const [path = 'tickets.json'] = process.argv.slice(2);
await ticketServer(new TicketFile(path)).connect(new StdioServerTransport());
console.error(`Serving tickets from ${path} over stdio`);
