import type { Client } from 'pg';

/** A table of messages in a schema of its own, which statements find by their search path. */
export interface Layout {
  readonly schema: string;
  /** 1: not partitioned. */
  readonly partitions: number;
}

export const layoutOf = (partitions: number): Layout => ({
  schema: partitions === 1 ? 'unpartitioned' : `hash${partitions}`,
  partitions,
});

/** The table of the migrations with its triggers, hash-partitioned by chat if the layout says so. */
export async function createTable(client: Client, { schema, partitions }: Layout): Promise<void> {
  const by = partitions === 1 ? '' : 'PARTITION BY HASH (chat_id)';
  await client.query(`CREATE SCHEMA ${schema}`);
  await client.query(`CREATE TABLE ${schema}.messages (LIKE public.messages INCLUDING ALL) ${by}`);
  const parts = partitions === 1 ? 0 : partitions;
  for (let part = 0; part < parts; part += 1) {
    await client.query(
      `CREATE TABLE ${schema}.messages_${part} PARTITION OF ${schema}.messages
         FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${part})`,
    );
  }
}

/** Triggers are created after the rows, which would make every chat pending. */
export async function createTriggers(client: Client, { schema }: Layout): Promise<void> {
  const { rows } = await client.query<{ text: string }>(
    `SELECT pg_get_triggerdef(oid) AS text FROM pg_trigger
      WHERE tgrelid = 'public.messages'::regclass AND NOT tgisinternal`,
  );
  for (const { text } of rows) {
    await client.query(text.replace(' ON public.messages ', ` ON ${schema}.messages `));
  }
}

/** The tables that hold rows: the table itself, or its partitions. */
export async function leavesOf(client: Client, { schema, partitions }: Layout): Promise<string[]> {
  if (partitions === 1) return [`${schema}.messages`];
  const { rows } = await client.query<{ name: string }>(
    `SELECT relid::regclass::text AS name FROM pg_partition_tree('${schema}.messages') WHERE isleaf`,
  );
  return rows.map(({ name }) => name);
}
