import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type ConfigSources, readConfig } from './config.ts';

const HOME = { HOME: '/home/ann' };
const read = (sources: Partial<ConfigSources>) =>
  readConfig({ args: [], env: HOME, isRoot: false, ...sources });

async function dataDirWith(file: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'chatd-config-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'chatd.json'), file);
  return directory;
}

test('by default, the server listens on loopback and stores its data in the home directory', () => {
  expect(read({}).config).toEqual({
    listen: { host: '127.0.0.1', port: 7717 },
    dataDir: '/home/ann/.local/share/chatd',
    databaseUrl: undefined,
    databaseDirectUrl: undefined,
    busUrl: undefined,
    filesUrl: undefined,
    internalUrl: undefined,
    adminToken: undefined,
    metricsToken: undefined,
    secretKey: undefined,
    allowedHosts: [],
    allowedOrigins: [],
    trustedProxies: [],
    allowPrivateUrls: false,
    logLevel: 'info',
    workspaces: {
      enabled: true,
      localMachine: true,
      templatesDir: undefined,
      idleMs: 3_600_000,
      allowUnsandboxed: false,
      privateAddresses: [],
      disk: { workspaceMb: 10_240, reserveMb: 2048 },
    },
    mcpPrograms: { total: 64, perUser: 8, idleMs: 900_000 },
    mcpTools: { tools: 50, bytes: 65_536 },
    databaseConnections: 20,
    requestLimits: { pointsPerMinute: 0, concurrency: 4 },
    processes: 1,
    concurrency: 256,
    leaseMs: 30_000,
    maxOwnerDeaths: 3,
    auditRetentionDays: 365,
    migrateWithoutWaiting: false,
    passwordSignIn: true,
  });
});

const points = (env: Record<string, string>) =>
  read({ env: { ...HOME, ...env } }).config.requestLimits.pointsPerMinute;

test('the rate limit is on if other machines can reach the server', () => {
  expect(points({ CHATD_LISTEN: '0.0.0.0:80' })).toBe(6000);
  expect(points({ CHATD_ALLOWED_HOSTS: 'chat.example.org' })).toBe(6000);
  expect(points({ CHATD_TRUSTED_PROXIES: '127.0.0.1' })).toBe(6000);
  expect(points({ CHATD_LISTEN: '[::1]:80' })).toBe(0);
  expect(points({ CHATD_RATE_LIMIT: '60' })).toBe(60);
});

test('the data directory follows XDG; for root, it is one that the PostgreSQL user can access', () => {
  expect(read({ env: { ...HOME, XDG_DATA_HOME: '/data' } }).config.dataDir).toBe('/data/chatd');
  expect(read({ isRoot: true }).config.dataDir).toBe('/var/lib/chatd');
  expect(read({ isRoot: true, env: { CHATD_DATA_DIR: '/srv/chatd' } }).config.dataDir).toBe(
    '/srv/chatd',
  );
});

test('flags override the environment, which overrides the file', async () => {
  const dataDir = await dataDirWith(
    JSON.stringify({ listen: '[::1]:1', log_level: 'debug', allow_private_urls: true }),
  );
  const env = {
    ...HOME,
    CHATD_DATA_DIR: dataDir,
    CHATD_LISTEN: 'localhost:2',
    CHATD_LOG_LEVEL: '',
  };
  const { config } = read({ env, args: ['--listen', '0.0.0.0:3'] });
  expect(config).toMatchObject({
    dataDir,
    listen: { host: '0.0.0.0', port: 3 },
    logLevel: 'debug',
    allowPrivateUrls: true,
  });
  expect(read({ env }).config.listen).toEqual({ host: 'localhost', port: 2 });
  expect(read({ args: ['--data-dir', dataDir] }).config.listen).toEqual({ host: '::1', port: 1 });
});

test('settings are read from the environment', () => {
  const env = {
    ...HOME,
    CHATD_DATABASE_URL: 'postgres://u:p@db/chatd',
    CHATD_DATABASE_DIRECT_URL: 'postgresql://u:p@db:5433/chatd',
    CHATD_BUS_URL: 'nats://bus:4222',
    CHATD_FILES_URL: 'https://key:secret@s3.example.org/bucket?region=eu-west-1',
    CHATD_ADMIN_TOKEN: 'sixteen-letters!',
    CHATD_METRICS_TOKEN: 'one-for-prometheus',
    CHATD_SECRET_KEY: 'another-secret-key',
    CHATD_ALLOWED_HOSTS: 'chat.example.org, [fd00::1]:8080,fd00::2',
    CHATD_ALLOWED_ORIGINS: 'https://App.example.org/, http://localhost:3000',
    CHATD_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,fd00::/8',
    CHATD_ALLOW_PRIVATE_URLS: '1',
    CHATD_LOG_LEVEL: 'warn',
  };
  expect(read({ env }).config).toMatchObject({
    databaseUrl: 'postgres://u:p@db/chatd',
    busUrl: 'nats://bus:4222',
    filesUrl: 'https://key:secret@s3.example.org/bucket?region=eu-west-1',
    adminToken: 'sixteen-letters!',
    metricsToken: 'one-for-prometheus',
    allowedHosts: [
      { host: 'chat.example.org', port: undefined },
      { host: '[fd00::1]', port: '8080' },
      { host: '[fd00::2]', port: undefined },
    ],
    allowedOrigins: ['https://app.example.org', 'http://localhost:3000'],
    trustedProxies: [
      { address: '127.0.0.1', prefix: 32 },
      { address: '10.0.0.0', prefix: 8 },
      { address: 'fd00::', prefix: 8 },
    ],
    allowPrivateUrls: true,
    logLevel: 'warn',
  });
});

test.each([
  ['CHATD_LISTEN', '7717', 'HOST:PORT'],
  ['CHATD_LISTEN', 'localhost:70000', 'HOST:PORT'],
  ['CHATD_LISTEN', '::1:7717', 'HOST:PORT'],
  ['CHATD_DATABASE_URL', 'mysql://db', 'postgresql://'],
  ['CHATD_BUS_URL', 'redis://bus', 'nats://'],
  ['CHATD_FILES_URL', 's3://bucket', 'https://'],
  ['CHATD_FILES_URL', 'https://s3.example.org/bucket', 'ACCESS_KEY_ID'],
  ['CHATD_ADMIN_TOKEN', 'fifteen-letters', 'at least 16'],
  ['CHATD_ADMIN_TOKEN', 'with spaces, but long', 'without spaces'],
  ['CHATD_METRICS_TOKEN', 'short', 'at least 16'],
  ['CHATD_ALLOWED_HOSTS', 'a b', 'host names'],
  ['CHATD_ALLOWED_ORIGINS', '*', 'origins such as'],
  ['CHATD_ALLOWED_ORIGINS', 'null', 'origins such as'],
  ['CHATD_ALLOWED_ORIGINS', 'https://app.example.org/path', 'without a path'],
  ['CHATD_TRUSTED_PROXIES', 'nginx', 'addresses or ranges'],
  ['CHATD_TRUSTED_PROXIES', '10.0.0.1, 0.0.0.0/0', '/0 is not allowed'],
  ['CHATD_ALLOW_PRIVATE_URLS', 'maybe', '1 or 0'],
  ['CHATD_LOG_LEVEL', 'loud', 'fatal, error, warn'],
])('%s=%s is refused, and the error says what is allowed', (name, value, allowed) => {
  expect(() => read({ env: { ...HOME, [name]: value } })).toThrow(
    expect.objectContaining({
      kind: 'usage',
      message: expect.stringContaining(name),
      hint: expect.stringContaining(allowed),
    }),
  );
});

test('an error does not repeat the value of a secret', () => {
  try {
    read({ env: { ...HOME, CHATD_ADMIN_TOKEN: 'my secret' } });
    expect.unreachable();
  } catch (error) {
    expect(JSON.stringify(error) + String(error)).not.toContain('my secret');
  }
});

test('a secret is not available as a flag, which every user of the machine could read', () => {
  expect(() => read({ args: ['--admin-token', 'sixteen-letters!'] })).toThrow(
    expect.objectContaining({ kind: 'usage' }),
  );
});

test.each([
  ['{', 'not valid JSON'],
  ['[]', 'not a JSON object'],
  ['{"colour": "red"}', 'colour'],
])('the file %s is refused', async (file, message) => {
  const dataDir = await dataDirWith(file);
  expect(() => read({ args: ['--data-dir', dataDir] })).toThrow(
    expect.objectContaining({ kind: 'usage', message: expect.stringContaining(message) }),
  );
});

const OIDC = { CHATD_OIDC_ISSUER: 'https://id.example', CHATD_OIDC_CLIENT_ID: 'chatd' };

test('an OIDC provider needs an issuer and a client ID, everything else has a default', () => {
  expect(read({ env: { ...HOME, ...OIDC } }).config.oidc).toEqual({
    issuer: 'https://id.example',
    clientId: 'chatd',
    clientSecret: undefined,
    scopes: 'openid profile email',
    groupsClaim: 'groups',
    adminGroups: [],
    allowedDomains: [],
    name: 'SSO',
  });
  expect(() => read({ env: { ...HOME, CHATD_OIDC_NAME: 'Example' } })).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('CHATD_OIDC_ISSUER') }),
  );
});

test.each([
  ['CHATD_OIDC_ISSUER', 'http://id.example'],
  ['CHATD_OIDC_ISSUER', 'https://id.example?x=1'],
  ['CHATD_OIDC_SCOPES', 'profile email'],
  ['CHATD_OIDC_ALLOWED_DOMAINS', 'ada@example.org'],
  ['CHATD_PUBLIC_URL', 'https://chat.example.org/chatd'],
])('%s=%s is refused', (name, value) => {
  expect(() => read({ env: { ...HOME, ...OIDC, [name]: value } })).toThrow(
    expect.objectContaining({ kind: 'usage', message: expect.stringContaining(name) }),
  );
});

test('an unknown CHATD_ variable causes a warning', () => {
  const { warnings } = read({ env: { ...HOME, CHATD_LISTN: 'x', CHATD_TOKEN: 'of the client' } });
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('CHATD_LISTN');
});
