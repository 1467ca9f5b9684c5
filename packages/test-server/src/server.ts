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
  /** The same database, for what only runners do. */
  readonly store: TestStore;
  readonly admin: ApiClient;
  /** A member: whose chats the store makes. */
  readonly owner: ApiClient;
  /** Another member. */
  readonly stranger: ApiClient;
  readonly anonymous: ApiClient;
  /** Everything that was logged, a line each. */
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
  // Tests are the runner of their chats, unless they say otherwise.
  databaseConnections: 20,
  requestLimits: { pointsPerMinute: 120_000, concurrency: 4 },
  processes: 1,
  concurrency: 0,
  // A busy machine is not a dead one.
  leaseMs: 30_000,
  maxOwnerDeaths: 3,
  auditRetentionDays: null,
  migrateWithoutWaiting: false,
  ...over,
});

/** A real server on a database that is there, as one starts it again; it lasts as long as the test file. */
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
  // So that comparing two dumps is a matter of the requests between them alone.
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

/** A real server on a real database of its own, for as long as the test file runs. */
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
