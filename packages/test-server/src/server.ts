import { randomUUID } from 'node:crypto';
import { afterAll } from 'vitest';
import { type Chatd, startChatd } from '../../server/src/app.ts';
import type { StartOptions } from '../../server/src/startup/start-options.ts';
import type { Config } from '../../server/src/config.ts';
import { createLog } from '../../server/src/log.ts';
import { createTestDatabase } from './database/database.ts';
import { TestStore } from './database/test-store.ts';
import { ApiClient } from './api-client.ts';

export const ADMIN_TOKEN = 'test-admin-token-0123456789';

export interface TestServer extends Chatd {
  readonly databaseUrl: string;
  /** A store on the same database, for operations of runners. */
  readonly store: TestStore;
  readonly admin: ApiClient;
  /** The member who owns the chats that the store creates. */
  readonly owner: ApiClient;
  /** Another member. */
  readonly stranger: ApiClient;
  readonly anonymous: ApiClient;
  /** All logged lines. */
  readonly logged: string[];
  readonly as: (token: string) => ApiClient;
}

export const config = (over: Partial<Config> = {}): Config => ({
  listen: { host: '127.0.0.1', port: 0 },
  dataDir: '/nonexistent',
  databaseUrl: undefined,
  databaseDirectUrl: undefined,
  busUrl: undefined,
  filesUrl: undefined,
  adminToken: ADMIN_TOKEN,
  metricsToken: undefined,
  secretKey: undefined,
  allowedHosts: [],
  allowedOrigins: [],
  trustedProxies: [],
  // Fake providers and MCP servers listen on loopback.
  allowPrivateUrls: true,
  logLevel: 'info',
  workspaces: { enabled: false, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
  mcpTools: { tools: 50, bytes: 65_536 },
  mcpPrograms: { total: 64, perUser: 8, idleMs: 900_000 },
  databaseConnections: 20,
  requestLimits: { pointsPerMinute: 120_000, concurrency: 4 },
  processes: 1,
  // Most tests run their chats themselves.
  concurrency: 0,
  // Long enough that a slow machine does not lose its chats.
  leaseMs: 30_000,
  maxOwnerDeaths: 3,
  auditRetentionDays: null,
  migrateWithoutWaiting: false,
  ...over,
});

/** Starts a server on an existing database, like a restart. It stops at the end of the test file. */
export async function startServerOn(
  databaseUrl: string,
  over: Partial<Config> = {},
  options: Partial<StartOptions> = {},
): Promise<Chatd & Pick<TestServer, 'admin' | 'as' | 'logged'>> {
  const logged: string[] = [];
  const log = createLog({
    level: 'info',
    secrets: [],
    readable: false,
    write(line) {
      logged.push(line);
      if (line.includes('request failed')) process.stderr.write(line);
    },
  });
  // Otherwise, token use would change a dump of the database.
  const tokenUseEveryMs = 2 ** 31 - 1;
  const chatd = await startChatd(config({ databaseUrl, ...over }), {
    log,
    tokenUseEveryMs,
    ...options,
  });
  afterAll(() => chatd.close());
  const as = (token: string) => new ApiClient(chatd.url, { authorization: `Bearer ${token}` });
  return { ...chatd, as, admin: as(ADMIN_TOKEN), logged };
}

/** Starts a server on a new database. It stops at the end of the test file. */
export async function startTestServer(
  over: Partial<Config> = {},
  options: Partial<StartOptions> = {},
): Promise<TestServer> {
  const { url: databaseUrl } = await createTestDatabase();
  const server = await startServerOn(databaseUrl, over, options);
  const { admin, as, url } = server;
  const store = await TestStore.open(databaseUrl);
  const tokenOf = async (user_id: string) =>
    (await admin.ok('createToken', { body: { name: 'test', user_id } })).token;
  const username = `stranger-${randomUUID()}`;
  const stranger = await admin.ok('createUser', { body: { username } });
  return {
    ...server,
    databaseUrl,
    store,
    owner: as(await tokenOf(store.owner)),
    stranger: as(await tokenOf(stranger.id)),
    anonymous: new ApiClient(url, {}),
  };
}
