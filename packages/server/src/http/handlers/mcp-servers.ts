import { actsAsAdmin } from '../../auth/caller.ts';
import {
  changeServer,
  changesEndpoint,
  conflictingFields,
  type ServerChange,
} from '../../mcp/change-server.ts';
import { McpFailure } from '../../mcp/mcp-failure.ts';
import { explain } from '../../mcp/explain.ts';
import type { Mcp } from '../../mcp/mcp.ts';
import { openSecrets, packed, type ServerSecrets } from '../../mcp/server-secrets.ts';
import { checkUrl, UrlNotAllowed } from '../../providers/fetch/url-check.ts';
import { NoMasterKey, UnreadableSecret } from '../../secrets/vault.ts';
import { toJson } from '../../store/json.ts';
import { mcpSecretsOf, type McpServerRow, needsSignIn } from '../../store/mcp-servers.ts';
import {
  deleteMcpServer,
  findMcpServer,
  insertMcpServer,
  listMcpServers,
  lockMcpServer,
  updateMcpServer,
} from '../../store/queries/mcp-servers.ts';
import { deleteMcpSession, forgetMcpSessions } from '../../store/queries/mcp-sessions.ts';
import type { Queryable } from '../../store/statement.ts';
import { DatabaseUnavailable } from '../../store/unavailable.ts';
import { uuidv7 } from '../../store/uuid.ts';
import type { HandlersOf } from '../call.ts';
import { refusedFields, notFound, Refused } from '../../chat/refused.ts';
import { MCP_CALLBACK } from '../pages/mcp-callback.ts';
import { presentMcpServer, presentMcpServerToMember } from '../../present/mcp-server.ts';
import type { Services } from '../services.ts';

export const mcpServerHandlers = ({ store, mcp }: Services): HandlersOf<'MCP servers'> => ({
  async listMcpServers({ caller, db }) {
    const rows = await db.query(listMcpServers, { user_id: caller.user.id });
    if (actsAsAdmin(caller)) {
      return { status: 200, body: { mcp_servers: rows.map(presentMcpServer), next_cursor: null } };
    }
    const theirs = rows.filter(({ enabled }) => enabled);
    return {
      status: 200,
      body: { mcp_servers: theirs.map(presentMcpServerToMember), next_cursor: null },
    };
  },

  async createMcpServer({ body, db }) {
    const { transport, timeout_seconds, trusted, default_on, enabled, ...change } = body;
    const fresh: McpServerRow = {
      id: uuidv7(),
      name: body.name,
      transport,
      url: null,
      command: null,
      args: [],
      cwd: null,
      limits: {},
      auth: { type: 'none' },
      secrets: null,
      env_names: [],
      tool_allow: null,
      tool_deny: [],
      timeout_seconds,
      trusted,
      default_on,
      enabled,
      created_at: new Date(),
      revision: 1,
    };
    const row = await changed(fresh, { env: {} }, change, mcp);
    const [inserted] = await db.query(insertMcpServer, columnsOf(row));
    if (inserted === undefined) throw nameTaken(row.name);
    return { status: 201, body: presentMcpServer({ ...inserted, signed_in: false }) };
  },

  async getMcpServer({ params, caller, db }) {
    const row = await demand(db, params.mcp_server_id, caller.user.id);
    return { status: 200, body: presentMcpServer(row) };
  },

  async updateMcpServer({ params, body, caller }) {
    const { mcp_server_id: id } = params;
    await store.database.transaction(async (tx) => {
      const [before] = await tx.query(lockMcpServer, { id });
      if (before === undefined) throw notFound();
      const after = await changed(before, readable(before, mcp), body, mcp);
      const [updated] = await tx.query(updateMcpServer, columnsOf(after));
      if (updated === undefined) throw nameTaken(after.name);
      if (changesEndpoint(before, after)) await tx.query(forgetMcpSessions, { server_id: id });
    });
    mcp.changed(id);
    const row = await demand(store.database, id, caller.user.id);
    return { status: 200, body: presentMcpServer(row) };
  },

  async deleteMcpServer({ params, db }) {
    const [gone] = await db.query(deleteMcpServer, { id: params.mcp_server_id });
    if (gone === undefined) throw notFound();
    mcp.changed(gone.id);
    return { status: 204 };
  },

  async testMcpServer({ params, caller, db }) {
    const row = await demand(db, params.mcp_server_id, caller.user.id);
    return { status: 200, body: await mcp.test(row, caller.user.id) };
  },

  async signInToMcpServer({ params, caller, db, exchange }) {
    const row = await demandEnabled(db, params.mcp_server_id, caller.user.id);
    if (!needsSignIn(row)) {
      throw new Refused('mcp_no_sign_in', `${row.name} is used without signing in.`);
    }
    const clientSecret = readable(row, mcp).auth;
    const redirectUrl = `${exchange.origin}${MCP_CALLBACK}`;
    const { url, expiresAt } = await signingIn(row.name, () =>
      mcp.signIns.begin(row, caller.user.id, { redirectUrl, clientSecret }),
    );
    const body = { authorization_url: url, expires_at: expiresAt.toISOString() };
    return { status: 200, body };
  },

  async finishMcpSignIn({ params, body, caller, db }) {
    const row = await demandEnabled(db, params.mcp_server_id, caller.user.id);
    const signedIn = await signingIn(row.name, () => mcp.signIns.finish(caller.user.id, body));
    if (signedIn !== row.id) {
      throw new Refused(
        'invalid_mcp_sign_in',
        'You did not begin this sign-in, it was ended before, or it is older than 15 minutes: begin again.',
      );
    }
    mcp.changed(row.id, caller.user.id);
    return { status: 204 };
  },

  async signOutOfMcpServer({ params, caller, db }) {
    const { mcp_server_id: id } = params;
    const [gone] = await db.query(deleteMcpSession, { server_id: id, user_id: caller.user.id });
    if (gone === undefined) throw notFound();
    mcp.changed(id, caller.user.id);
    return { status: 204 };
  },
});

async function demand(db: Queryable, id: string, userId: string) {
  const [row] = await db.query(findMcpServer, { id, user_id: userId });
  if (row === undefined) throw notFound();
  return row;
}

/** What is disabled does not exist for those who only use it. */
async function demandEnabled(db: Queryable, id: string, userId: string) {
  const row = await demand(db, id, userId);
  if (!row.enabled) throw notFound();
  return row;
}

const columnsOf = (row: McpServerRow) => ({
  ...row,
  auth: toJson(row.auth),
  limits: toJson(row.limits),
});

/** The row as it is after a change, all of it checked, its secrets sealed. */
async function changed(
  before: McpServerRow,
  known: ServerSecrets,
  change: ServerChange,
  mcp: Mcp,
): Promise<McpServerRow> {
  const { row, secrets } = changeServer(before, known, change);
  const errors = conflictingFields(row, change);
  if (errors.length > 0) throw refusedFields(errors);
  if (change.url !== undefined) await checkAddress(change.url, mcp);
  if (change.env === undefined && change.auth === undefined) return row;
  return { ...row, secrets: seal(row.id, secrets, mcp) };
}

async function checkAddress(url: string, { allowPrivate }: Mcp): Promise<void> {
  try {
    await checkUrl(url, await allowPrivate());
  } catch (error) {
    if (!(error instanceof UrlNotAllowed)) throw error;
    throw refusedFields([{ path: 'url', message: error.message }], 'url_not_allowed');
  }
}

function seal(id: string, secrets: ServerSecrets, { vault }: Mcp): string | null {
  const flat = packed(secrets);
  if (Object.keys(flat).length === 0) return null;
  if (vault.canSeal) return vault.seal(flat, mcpSecretsOf(id));
  throw secretKeyRequired();
}

const secretKeyRequired = () =>
  new Refused(
    'secret_key_required',
    'Secrets are only stored encrypted, and there is nothing to encrypt them with: start chatd with CHATD_SECRET_KEY, the same for all replicas (for example from: openssl rand -base64 32).',
  );

/** What cannot be decrypted any more is replaced, not kept. */
function readable(row: McpServerRow, { vault }: Mcp): ServerSecrets {
  try {
    return openSecrets(row, vault);
  } catch (error) {
    if (error instanceof UnreadableSecret) return { env: {} };
    throw error;
  }
}

/** What the other side does wrong is no failure of ours. */
async function signingIn<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NoMasterKey) throw secretKeyRequired();
    if (error instanceof Refused || error instanceof DatabaseUnavailable) throw error;
    const fault =
      error instanceof McpFailure ? error : explain(error, name, `The sign-in to ${name} failed`);
    throw new Refused('mcp_sign_in_failed', fault.message);
  }
}

const nameTaken = (name: string) =>
  new Refused('mcp_server_name_taken', `Another MCP server is called ${name}.`);
