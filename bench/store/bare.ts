import { Pool } from 'pg';

/**
 * The baseline: a transaction that locks a row, updates it and inserts another, with the same driver and prepared
 * statements. Its rows are about as wide as those of chats.
 */
export async function openBare(url: string, connections: number) {
  const pool = new Pool({ connectionString: url, max: connections });
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', () => undefined);
  await pool.query(`
    DROP TABLE IF EXISTS bare_row, bare_log;
    CREATE TABLE bare_row (id integer PRIMARY KEY, version bigint NOT NULL, title text NOT NULL)
      WITH (fillfactor = 70);
    CREATE TABLE bare_log (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, row_id integer NOT NULL,
                           content jsonb NOT NULL);
    CREATE INDEX ON bare_log (row_id, id);`);
  const content = JSON.stringify([{ type: 'text', text: 'Hello, how are you today?' }]);
  const fill = async (rows: number): Promise<void> => {
    await pool.query(`TRUNCATE bare_row, bare_log;
      INSERT INTO bare_row SELECT n, 0, repeat('x', 250) FROM generate_series(0, ${rows - 1}) AS n`);
  };
  await fill(connections);
  return {
    fill,
    async transact(row: number): Promise<void> {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        await client.query({
          name: 'lock',
          text: 'SELECT * FROM bare_row WHERE id = $1 FOR UPDATE',
          values: [row],
        });
        await client.query({
          name: 'update',
          text: 'UPDATE bare_row SET version = version + 1 WHERE id = $1',
          values: [row],
        });
        await client.query({
          name: 'insert',
          text: 'INSERT INTO bare_log (row_id, content) VALUES ($1, $2) RETURNING id',
          values: [row, content],
        });
        await client.query('COMMIT');
      } finally {
        client.release();
      }
    },
    close: () => pool.end(),
  };
}
