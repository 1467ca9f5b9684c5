import { RequestRefused } from '../refusal.ts';

/*
 * There are no MCP servers yet, so no id of one can be right. Taking any id on trust would let a chat name one that
 * later turns out to be somebody else's.
 */

export function noMcpServers(ids: readonly string[] | undefined): void {
  const [first] = ids ?? [];
  if (first === undefined) return;
  throw new RequestRefused('unknown_mcp_server', `There is no MCP server ${first}.`);
}
