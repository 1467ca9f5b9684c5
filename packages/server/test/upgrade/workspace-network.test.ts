import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { migrate, ownMigrations } from '../../src/store/migrate/migrate.ts';
import { createDatabase } from '@chatd/test-server/database';

const VERSION = 19;

test('network flags of templates become modes', async () => {
  const database = await createDatabase(inject('postgresUrl'));
  const client = new Client({ connectionString: database.url });
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await database.drop();
  });
  const versions = (await ownMigrations()).map(({ version }) => version);
  await migrate(client, { only: versions.filter((version) => version < VERSION) });
  const before = { on: { network: true }, off: { network: false }, absent: {} };
  for (const [name, network] of Object.entries(before)) {
    await client.query('INSERT INTO templates VALUES (gen_random_uuid(), $1, $2)', [
      name,
      { driver: 'host', setup: 'npm ci', ...network },
    ]);
  }
  await migrate(client, { only: versions.filter((version) => version <= VERSION) });
  const { rows } = await client.query<{ name: string; definition: object }>(
    `SELECT name, definition FROM templates WHERE name = ANY ($1) ORDER BY name`,
    [Object.keys(before)],
  );
  expect(rows).toEqual([
    { name: 'absent', definition: { driver: 'host', setup: 'npm ci' } },
    { name: 'off', definition: { driver: 'host', setup: 'npm ci' } },
    { name: 'on', definition: { driver: 'host', setup: 'npm ci', network: 'internet' } },
  ]);
});
