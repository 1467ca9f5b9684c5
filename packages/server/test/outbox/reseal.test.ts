import { randomUUID } from 'node:crypto';
import { execute, TestStore } from '@chatd/test-server/database';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { resealMcp } from '../../src/mcp/reseal.ts';
import { resealTargets } from '../../src/outbox/reseal.ts';
import { masterKey } from '../../src/secrets/master-key.ts';
import { Vault } from '../../src/secrets/vault.ts';
import { mcpSecretsOf, mcpSessionOf } from '../../src/store/mcp-servers.ts';
import { PUSH_KEY_ROW, pushSecretsOf } from '../../src/store/queries/outbox/push.ts';
import { webhookSecretsOf } from '../../src/store/queries/outbox/webhooks.ts';

const log = pino({ level: 'silent' });
const store = await TestStore.open();
const [old, current] = await Promise.all(['old', 'new'].map(masterKey));
const sealed = (secret: string, row: string) => new Vault([old!]).seal({ secret }, row);

test('secrets of webhooks, browsers, and MCP servers are encrypted with the new key, so that the old one can be removed', async () => {
  const [webhook, browser, server] = [randomUUID(), randomUUID(), randomUUID()];
  const { owner } = store;
  await execute(
    store.url,
    `INSERT INTO webhooks (id, owner_id, url, events, secrets)
     VALUES ('${webhook}', '${owner}', 'https://example.com/', '{}', '${sealed('webhook', webhookSecretsOf(webhook))}');
     INSERT INTO push_subscriptions (id, user_id, endpoint_hash, secrets, user_agent)
     VALUES ('${browser}', '${owner}', 'x', '${sealed('browser', pushSecretsOf(browser))}', '');
     INSERT INTO push_keys (public_key, secrets) VALUES ('x', '${sealed('key', PUSH_KEY_ROW)}');
     INSERT INTO mcp_servers (id, name, transport, url, secrets, timeout_seconds, trusted, default_on, enabled)
     VALUES ('${server}', 'tools', 'http', 'https://example.com/', '${sealed('server', mcpSecretsOf(server))}', 10, false, false, true);
     INSERT INTO mcp_sessions (server_id, user_id, details, secrets)
     VALUES ('${server}', '${owner}', '{}', '${sealed('session', mcpSessionOf(server, owner))}')`,
  );
  const both = new Vault([current!, old!]);
  await resealTargets(store.database, both, log);
  await resealMcp(store.database, both, log);
  const rows = await execute<{ row: string; secrets: string }>(
    store.url,
    `SELECT 'webhook' AS row, secrets FROM webhooks UNION ALL SELECT 'browser', secrets FROM push_subscriptions
     UNION ALL SELECT 'key', secrets FROM push_keys UNION ALL SELECT 'server', secrets FROM mcp_servers
     UNION ALL SELECT 'session', secrets FROM mcp_sessions`,
  );
  const bound: Readonly<Record<string, string>> = {
    webhook: webhookSecretsOf(webhook),
    browser: pushSecretsOf(browser),
    key: PUSH_KEY_ROW,
    server: mcpSecretsOf(server),
    session: mcpSessionOf(server, owner),
  };
  expect(rows).toHaveLength(5);
  for (const { row, secrets } of rows) {
    expect(new Vault([current!]).open(secrets, bound[row] ?? ''), row).toEqual({ secret: row });
  }
});
