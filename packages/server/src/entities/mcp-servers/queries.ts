import { actsAsAdmin, type Caller } from '../../auth/caller.ts';
import { notFound } from '../../chat/refused.ts';
import type { ListedMcpServer } from '../../store/mcp-servers.ts';
import { findMcpServer, listMcpServers } from '../../store/queries/mcp-servers.ts';
import type { Queryable } from '../../store/statement.ts';

/** With the information whether the user is signed in to it. */
export async function requireMcpServer(
  db: Queryable,
  id: string,
  userId: string,
): Promise<ListedMcpServer> {
  const [row] = await db.query(findMcpServer, { id, user_id: userId });
  if (row === undefined) throw notFound();
  return row;
}

/** Disabled servers do not exist for their users. */
export async function requireEnabledMcpServer(
  db: Queryable,
  id: string,
  userId: string,
): Promise<ListedMcpServer> {
  const row = await requireMcpServer(db, id, userId);
  if (!row.enabled) throw notFound();
  return row;
}

/** Members see only enabled servers. */
export async function visibleMcpServers(db: Queryable, caller: Caller): Promise<ListedMcpServer[]> {
  const rows = await db.query(listMcpServers, { user_id: caller.user.id });
  return actsAsAdmin(caller) ? rows : rows.filter(({ enabled }) => enabled);
}
