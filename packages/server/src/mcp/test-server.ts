import type { McpServerTest } from '@chatd/protocol';
import type { McpServerRow } from '../store/mcp-servers.ts';
import type { McpConnection } from './mcp-connection.ts';
import { McpFailure } from './mcp-failure.ts';
import { offeredTools } from './mcp-toolbox.ts';
import { isAllowed } from './tools/patterns.ts';

export async function testServer(
  server: McpServerRow,
  connection: McpConnection,
): Promise<McpServerTest> {
  const began = performance.now();
  const latency = () => Math.round(performance.now() - began);
  try {
    const toolList = await connection.toolList();
    const latency_ms = latency();
    const tools = offeredTools(server, toolList, connection).map((tool) => ({
      name: tool.name,
      description: tool.description ?? '',
      idempotent: tool.idempotent,
    }));
    const denied = toolList.tools
      .filter(({ name }) => !isAllowed(name, server))
      .map(({ name }) => ({ name, reason: 'excluded by tool_allow or tool_deny' }));
    const message = `${server.name} responded in ${latency_ms} ms. Agents can use ${tools.length} of its ${toolList.tools.length + toolList.left_out.length} tools.`;
    const left_out = [...denied, ...toolList.left_out];
    return { ok: true, message, latency_ms, server: toolList.server, tools, left_out };
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    return { ok: false, message: error.message, latency_ms: latency() };
  } finally {
    await connection.close();
  }
}
