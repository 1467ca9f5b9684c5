export const MCP_SERVER_COLUMNS = `mcp_servers.id, mcp_servers.name, mcp_servers.transport, mcp_servers.url,
  mcp_servers.command, mcp_servers.args, mcp_servers.cwd, mcp_servers.limits, mcp_servers.auth, mcp_servers.secrets, mcp_servers.env_names,
  mcp_servers.tool_allow, mcp_servers.tool_deny, mcp_servers.timeout_seconds, mcp_servers.trusted,
  mcp_servers.default_on, mcp_servers.enabled, mcp_servers.created_at, mcp_servers.revision`;
