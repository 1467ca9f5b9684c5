import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import type { TicketFile } from './ticket-file.ts';

/** The tools, independent of the transport. */
export function ticketServer(tickets: TicketFile): McpServer {
  const server = new McpServer({ name: 'tickets', version: '1.0.0' });
  server.registerTool(
    'search_tickets',
    {
      description: 'Find tickets by title. Without a query, list all tickets.',
      inputSchema: { query: z.string().optional() },
      // Lets a trusted server's tool run again after a crash, and in plan mode.
      annotations: { readOnlyHint: true },
    },
    async ({ query = '' }) => {
      const found = (await tickets.all()).filter(({ title }) =>
        title.toLowerCase().includes(query.toLowerCase()),
      );
      return said(JSON.stringify(found, null, 2));
    },
  );
  server.registerTool(
    'close_ticket',
    {
      description: 'Close a ticket, with a reason.',
      inputSchema: { id: z.int().positive(), reason: z.string().min(1) },
      // Closing a ticket twice has the same effect as once.
      annotations: { destructiveHint: true, idempotentHint: true },
    },
    async ({ id, reason }) => {
      const closed = await tickets.close(id, reason);
      if (closed !== undefined) return said(`Closed: ${JSON.stringify(closed)}`);
      // The model sees this error and can correct the call.
      return {
        ...said(`Ticket ${id} not found. Use search_tickets to list tickets.`),
        isError: true,
      };
    },
  );
  return server;
}

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });
