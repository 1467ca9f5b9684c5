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

/** Servers that a user cannot use do not exist for them. */
export async function requireUsableMcpServer(
  db: Queryable,
  id: string,
  userId: string,
): Promise<ListedMcpServer> {
  const row = await requireMcpServer(db, id, userId);
  if (!row.usable) throw notFound();
  return row;
}

/** Members see only the servers that they can use. */
export async function visibleMcpServers(db: Queryable, caller: Caller): Promise<ListedMcpServer[]> {
  const rows = await db.query(listMcpServers, { user_id: caller.user.id });
  return actsAsAdmin(caller) ? rows : rows.filter(({ usable }) => usable);
}
