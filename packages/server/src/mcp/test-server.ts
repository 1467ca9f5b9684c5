import type { McpServerTest } from '@chatd/protocol';
import type { McpServerRow } from '../store/mcp-servers.ts';
import type { Connection } from './connection.ts';
import { McpFault } from './fault.ts';
import { offeredTools } from './mcp-toolbox.ts';
import { isAllowed } from './tools/patterns.ts';

/** Connects, lists, and says what happened. */
export async function testServer(
  server: McpServerRow,
  connection: Connection,
): Promise<McpServerTest> {
  const began = performance.now();
  const latency = () => Math.round(performance.now() - began);
  try {
    const offer = await connection.offer();
    const latency_ms = latency();
    const tools = offeredTools(server, offer, connection).map((tool) => ({
      name: tool.name,
      description: tool.description ?? '',
      idempotent: tool.idempotent,
    }));
    const denied = offer.tools
      .filter(({ name }) => !isAllowed(name, server))
      .map(({ name }) => ({ name, reason: 'tool_allow and tool_deny leave it out' }));
    const message = `${server.name} answered in ${latency_ms} ms. Agents get ${tools.length} of its ${offer.tools.length + offer.left_out.length} tools.`;
    const left_out = [...denied, ...offer.left_out];
    return { ok: true, message, latency_ms, server: offer.server, tools, left_out };
  } catch (error) {
    if (!(error instanceof McpFault)) throw error;
    return { ok: false, message: error.message, latency_ms: latency() };
  } finally {
    await connection.close();
  }
}
