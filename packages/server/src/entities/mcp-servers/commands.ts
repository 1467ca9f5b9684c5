import type { Routes } from '@chatd/protocol';
import type { z } from 'zod';
import { notFound, Refused, refusedFields } from '../../chat/refused.ts';
import { noRowsIfTaken } from '../../store/constraint.ts';
import { McpFailure } from '../../mcp/mcp-failure.ts';
import type { Mcp } from '../../mcp/mcp.ts';
import { openSecrets, packed, type ServerSecrets } from '../../mcp/server-secrets.ts';
import { NoMasterKey, UnreadableSecret } from '../../secrets/vault.ts';
import { requireGroups } from '../../store/groups.ts';
import { toJson } from '../../store/json.ts';
import {
  type ListedMcpServer,
  mcpSecretsOf,
  type McpServerRow,
  needsSignIn,
} from '../../store/mcp-servers.ts';
import {
  deleteMcpServer,
  insertMcpServer,
  lockMcpServer,
  updateMcpServer,
} from '../../store/queries/mcp-servers.ts';
import { deleteMcpSession, forgetMcpSessions } from '../../store/queries/mcp-sessions.ts';
import type { Queryable } from '../../store/statement.ts';
import type { Transaction } from '../../store/transaction.ts';
import { DatabaseUnavailable } from '../../store/unavailable.ts';
import { uuidv7 } from '../../store/uuid.ts';
import { checkAllowedUrl, sealOrRefuse, secretKeyRequired } from '../secrets-and-urls.ts';
import { changesEndpoint, conflictingFields, planMcpServer, type ServerChange } from './plan.ts';
import { requireUsableMcpServer } from './queries.ts';

type NewMcpServer = z.output<Routes['createMcpServer']['body']>;
type FinishedSignIn = z.output<Routes['finishMcpSignIn']['body']>;

/** Changes MCP servers and the sessions of users. Open connections end with the change. */
export class McpServerCommands {
  readonly #mcp: Mcp;

  constructor(mcp: Mcp) {
    this.#mcp = mcp;
  }

  async create(given: NewMcpServer, db: Queryable): Promise<ListedMcpServer> {
    await requireGroups(db, given.group_ids ?? []);
    const row = await this.#plan(newMcpServer(given), { env: {} }, given);
    const [inserted] = await db.query(insertMcpServer, columnsOf(row));
    if (inserted === undefined) throw nameTaken(row.name);
    return { ...inserted, signed_in: false, usable: inserted.enabled };
  }

  async update(id: string, change: ServerChange, tx: Transaction): Promise<void> {
    const [before] = await tx.query(lockMcpServer, { id });
    if (before === undefined) throw notFound();
    await requireGroups(tx, change.group_ids ?? []);
    const after = await this.#plan(before, this.#readableSecrets(before), change);
    const [updated] = await noRowsIfTaken(tx.query(updateMcpServer, columnsOf(after)));
    if (updated === undefined) throw nameTaken(after.name);
    if (changesEndpoint(before, after)) await tx.query(forgetMcpSessions, { server_id: id });
    tx.afterCommit(() => this.#mcp.changed(id));
  }

  async delete(id: string, tx: Transaction): Promise<void> {
    const [deleted] = await tx.query(deleteMcpServer, { id });
    if (deleted === undefined) throw notFound();
    tx.afterCommit(() => this.#mcp.changed(id));
  }

  async beginSignIn(id: string, userId: string, redirectUrl: string, db: Queryable) {
    const row = await requireUsableMcpServer(db, id, userId);
    if (!needsSignIn(row)) {
      throw new Refused('mcp_no_sign_in', `${row.name} does not require a sign-in.`);
    }
    const clientSecret = this.#readableSecrets(row).auth;
    return await signingIn(row.name, () =>
      this.#mcp.signIns.begin(row, userId, { redirectUrl, clientSecret }),
    );
  }

  async finishSignIn(
    id: string,
    userId: string,
    given: FinishedSignIn,
    db: Queryable,
  ): Promise<void> {
    const row = await requireUsableMcpServer(db, id, userId);
    const signedIn = await signingIn(row.name, () => this.#mcp.signIns.finish(userId, given));
    if (signedIn !== row.id) {
      throw new Refused(
        'invalid_mcp_sign_in',
        'This sign-in was started by another user, is already finished, or is older than 15 minutes. Start it again.',
      );
    }
    this.#mcp.changed(row.id, userId);
  }

  async signOut(id: string, userId: string, db: Queryable): Promise<void> {
    const [deleted] = await db.query(deleteMcpSession, { server_id: id, user_id: userId });
    if (deleted === undefined) throw notFound();
    this.#mcp.changed(id, userId);
  }

  /** The row after a change, checked and with sealed secrets. */
  async #plan(
    before: McpServerRow,
    known: ServerSecrets,
    change: ServerChange,
  ): Promise<McpServerRow> {
    const { row, secrets } = planMcpServer(before, known, change);
    const errors = conflictingFields(row, change);
    if (errors.length > 0) throw refusedFields(errors);
    if (change.url !== undefined) {
      await checkAllowedUrl('url', change.url, this.#mcp.allowPrivate);
    }
    if (change.env === undefined && change.auth === undefined) return row;
    const flat = packed(secrets);
    if (Object.keys(flat).length === 0) return { ...row, secrets: null };
    return { ...row, secrets: sealOrRefuse(this.#mcp.vault, flat, mcpSecretsOf(row.id)) };
  }

  /** Secrets that cannot be decrypted any more are replaced. */
  #readableSecrets(row: McpServerRow): ServerSecrets {
    try {
      return openSecrets(row, this.#mcp.vault);
    } catch (error) {
      if (error instanceof UnreadableSecret) return { env: {} };
      throw error;
    }
  }
}

const newMcpServer = (given: NewMcpServer): McpServerRow => ({
  id: uuidv7(),
  name: given.name,
  transport: given.transport,
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
  timeout_seconds: given.timeout_seconds,
  trusted: given.trusted,
  default_on: given.default_on,
  enabled: given.enabled,
  group_ids: null,
  created_at: new Date(),
  revision: 1,
});

const columnsOf = (row: McpServerRow) => ({
  ...row,
  auth: toJson(row.auth),
  limits: toJson(row.limits),
});

/** Reports errors of the authorization server as a refusal. */
async function signingIn<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NoMasterKey) throw secretKeyRequired();
    if (error instanceof Refused || error instanceof DatabaseUnavailable) throw error;
    const { explain } = await import('../../mcp/explain.ts');
    const failure =
      error instanceof McpFailure ? error : explain(error, name, `The sign-in to ${name} failed`);
    throw new Refused('mcp_sign_in_failed', failure.message);
  }
}

const nameTaken = (name: string) =>
  new Refused('mcp_server_name_taken', `An MCP server named ${name} already exists.`);
