import { randomUUID } from 'node:crypto';
import { execute, TestStore } from '@chatd/test-server/database';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { MemoryBus } from '../../src/bus/memory-bus.ts';
import { masterKey } from '../../src/secrets/master-key.ts';
import { Vault } from '../../src/secrets/vault.ts';
import { triggerSecretsOf } from '../../src/store/queries/triggers/triggers.ts';
import { Triggers } from '../../src/triggers/triggers.ts';

const log = pino({ level: 'silent' });
const store = await TestStore.open();
const vault = new Vault([await masterKey('a key of the tests')]);
const triggers = new Triggers({
  store,
  bus: new MemoryBus(log),
  vault,
  workspaces: undefined,
  log,
  pointsPerMinute: 0,
});

async function hook(type: string, enabled = true): Promise<string> {
  const id = randomUUID();
  const secrets = vault.seal({ secret: 'the-shared-secret' }, triggerSecretsOf(id));
  await execute(
    store.url,
    `INSERT INTO triggers (id, owner_id, name, kind, enabled, verification, secrets, prompt, chat, concurrency)
     VALUES ('${id}', '${store.owner}', '${id}', 'webhook', ${enabled}, '${type}', '${secrets}', 'x', '{}', 'queue')`,
  );
  return id;
}

/** Statements, decryptions, and signed bytes. The response time depends on nothing else. */
async function workOf(id: string): Promise<object> {
  const query = vi.spyOn(store.database.reads, 'query');
  const open = vi.spyOn(vault, 'open');
  let signedBytes = 0;
  const body = Buffer.alloc(200_000, 'x');
  const verified = await triggers.verify(id, {
    get body() {
      signedBytes += body.length;
      return body;
    },
    header: () => undefined,
  });
  expect(verified).toBeUndefined();
  const work = {
    statements: query.mock.calls.map(([{ name }]) => name),
    decryptions: open.mock.calls.length,
    signedBytes,
  };
  query.mockRestore();
  open.mockRestore();
  return work;
}

test('a request to an unknown, malformed or disabled webhook takes the same work as one with a wrong signature', async () => {
  const wrong = await workOf(await hook('hmac-sha256'));
  expect(wrong).toEqual({
    statements: ['read-trigger'],
    decryptions: 1,
    signedBytes: 200_000,
  });
  expect(await workOf(randomUUID())).toEqual(wrong);
  expect(await workOf('not-an-id')).toEqual(wrong);
  expect(await workOf(await hook('hmac-sha256', false))).toEqual(wrong);
  for (const type of ['token', 'github', 'slack', 'standard-webhooks']) {
    expect(await workOf(await hook(type)), type).toEqual(wrong);
  }
});
