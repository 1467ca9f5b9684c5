import { actsAsAdmin } from '../../auth/caller.ts';
import { McpServerCommands } from '../../entities/mcp-servers/commands.ts';
import { presentMcpServer, presentMcpServerToMember } from '../../entities/mcp-servers/present.ts';
import { requireMcpServer, visibleMcpServers } from '../../entities/mcp-servers/queries.ts';
import type { HandlersOf } from '../call.ts';
import { MCP_CALLBACK } from '../pages/mcp-callback.ts';
import type { Services } from '../services.ts';

export const mcpServerHandlers = ({ mcp }: Services): HandlersOf<'MCP servers'> => {
  const commands = new McpServerCommands(mcp);

  return {
    async listMcpServers({ caller, db }) {
      const rows = await visibleMcpServers(db, caller);
      const present = actsAsAdmin(caller) ? presentMcpServer : presentMcpServerToMember;
      return { status: 200, body: { mcp_servers: rows.map(present), next_cursor: null } };
    },

    createMcpServer: async ({ body, db }) => ({
      status: 201,
      body: presentMcpServer(await commands.create(body, db)),
    }),

    async getMcpServer({ params, caller, db }) {
      const row = await requireMcpServer(db, params.mcp_server_id, caller.user.id);
      return { status: 200, body: presentMcpServer(row) };
    },

    async updateMcpServer({ params, body, caller, tx }) {
      await commands.update(params.mcp_server_id, body, tx);
      const row = await requireMcpServer(tx, params.mcp_server_id, caller.user.id);
      return { status: 200, body: presentMcpServer(row) };
    },

    async deleteMcpServer({ params, tx }) {
      await commands.delete(params.mcp_server_id, tx);
      return { status: 204 };
    },

    async testMcpServer({ params, caller, db }) {
      const row = await requireMcpServer(db, params.mcp_server_id, caller.user.id);
      return { status: 200, body: await mcp.test(row, caller.user.id) };
    },

    async signInToMcpServer({ params, caller, db, exchange }) {
      const redirectUrl = `${exchange.origin}${MCP_CALLBACK}`;
      const { mcp_server_id: id } = params;
      const { url, expiresAt } = await commands.beginSignIn(id, caller.user.id, redirectUrl, db);
      const body = { authorization_url: url, expires_at: expiresAt.toISOString() };
      return { status: 200, body };
    },

    async finishMcpSignIn({ params, body, caller, db }) {
      await commands.finishSignIn(params.mcp_server_id, caller.user.id, body, db);
      return { status: 204 };
    },

    async signOutOfMcpServer({ params, caller, db }) {
      await commands.signOut(params.mcp_server_id, caller.user.id, db);
      return { status: 204 };
    },
  };
};
