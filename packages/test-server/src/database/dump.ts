import { Client } from 'pg';

/** What replicas write for as long as they live, whatever is asked of them; of it, only who they are. */
const HEARTBEATS = 'workers';

/** Every server brings messages into the search index, whatever is asked of it. */
const SEARCH_INDEX = new Set(['search_segments', 'search_pending']);

/** Every row of every table, as text: two dumps are equal exactly when nothing has changed. */
export async function dump(url: string, except: readonly string[] = []): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
        WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
    );
    let all = '';
    for (const { name } of tables) {
      if (except.includes(name) || SEARCH_INDEX.has(name)) continue;
      const { rows } = await client.query<{ row: string }>(
        `SELECT ${name === HEARTBEATS ? 'id' : 't'}::text AS row FROM "${name}" t ORDER BY 1`,
      );
      all += `# ${name}\n${rows.map(({ row }) => row).join('\n')}\n`;
    }
    return all;
  } finally {
    await client.end();
  }
}
