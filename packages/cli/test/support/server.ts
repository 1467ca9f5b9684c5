import { rm } from 'node:fs/promises';
import { type Client, createClient } from '@chatd/client';
import { type Chatd, createChatd, type GivenSettings } from '@chatd/server';
import { afterAll } from 'vitest';
import { createTestDatabase } from '@chatd/test-server/database';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';

export const ADMIN_TOKEN = 'test-admin-token-0123456789';

export interface TestServer extends Chatd {
  readonly client: Client;
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** The environment for commands that use it. */
  readonly env: Readonly<Record<string, string>>;
}

/** A real server with the demo model, until the test file ends. */
export async function startServer(settings: GivenSettings = {}): Promise<TestServer> {
  const { url: databaseUrl } = await createTestDatabase();
  const dataDir = await makeTemporaryDirectory();
  const chatd = await createChatd({
    settings: {
      database_url: databaseUrl,
      data_dir: dataDir,
      bus_url: 'memory:',
      listen: '127.0.0.1:0',
      allow_private_urls: true,
      admin_token: ADMIN_TOKEN,
      log_level: 'silent',
      ...settings,
    },
  });
  afterAll(async () => {
    await chatd.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return {
    ...chatd,
    databaseUrl,
    dataDir,
    client: createClient({ url: chatd.url, token: ADMIN_TOKEN }),
    env: { CHATD_URL: chatd.url, CHATD_TOKEN: ADMIN_TOKEN },
  };
}
