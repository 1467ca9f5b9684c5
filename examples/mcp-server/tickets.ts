import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import type { TicketFile } from './ticket-file.ts';

/** The tools, whoever asks for them and over whichever transport. */
export function ticketServer(tickets: TicketFile): McpServer {
  const server = new McpServer({ name: 'tickets', version: '1.0.0' });
  server.registerTool(
    'search_tickets',
    {
      description: 'Finds tickets whose title contains a text; all of them without one.',
      inputSchema: { query: z.string().optional() },
      // Looking changes nothing: a trusted server's tool may run again, also in plan mode.
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
      description: 'Closes a ticket for a reason.',
      inputSchema: { id: z.int().positive(), reason: z.string().min(1) },
      // Closing it twice is as good as once.
      annotations: { destructiveHint: true, idempotentHint: true },
    },
    async ({ id, reason }) => {
      const closed = await tickets.close(id, reason);
      if (closed !== undefined) return said(`Closed: ${JSON.stringify(closed)}`);
      // The model reads this and can do something about it.
      return { ...said(`There is no ticket ${id}. search_tickets lists them.`), isError: true };
    },
  );
  return server;
}

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });
