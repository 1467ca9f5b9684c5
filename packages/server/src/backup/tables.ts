import type { ClientBase } from 'pg';

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Recreated by the migrations; the search index by the server. The content of checkpoints is not in backups. */
const OMITTED_TABLES = ['schema_migrations', 'search_segments', 'search_pending', 'checkpoints'];
/** The words of messages, which earlier versions stored with each message. */
const DERIVED_COLUMN = { table: 'messages', column: 'search' };

/** All tables, referenced ones first. */
export async function readTables(client: ClientBase): Promise<Table[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; needs: string[] }>(
    `SELECT c.relname AS name,
            (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
              WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
                AND (c.relname, a.attname) <> ($2, $3)) AS columns,
            coalesce((SELECT array_agg(DISTINCT r.relname::text) FROM pg_constraint k JOIN pg_class r ON r.oid = k.confrelid
              WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid), '{}') AS needs
       FROM pg_class c
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> ALL ($1)
      ORDER BY c.relname`,
    [OMITTED_TABLES, DERIVED_COLUMN.table, DERIVED_COLUMN.column],
  );
  return inOrder(rows).map(({ name, columns }) => ({ name, columns }));
}

/** Each table after all that it references. */
function inOrder<T extends { readonly name: string; readonly needs: readonly string[] }>(
  tables: readonly T[],
): T[] {
  const ordered: T[] = [];
  const placed = new Set<string>();
  let left = [...tables];
  while (left.length > 0) {
    const ready = left.filter(({ needs }) => needs.every((name) => placed.has(name)));
    if (ready.length === 0) {
      throw new Error(`circular references between tables: ${left.map(({ name }) => name).join()}`);
    }
    for (const table of ready) placed.add(table.name);
    ordered.push(...ready);
    left = left.filter(({ name }) => !placed.has(name));
  }
  return ordered;
}

export async function readSequences(client: ClientBase): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; last: string }>(
    `SELECT sequencename AS name, last_value::text AS last FROM pg_sequences
      WHERE schemaname = 'public' AND last_value IS NOT NULL`,
  );
  return Object.fromEntries(rows.map(({ name, last }) => [name, Number(last)]));
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const columnList = ({ columns }: Table): string => columns.map(quoted).join(', ');
