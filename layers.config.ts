import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'oxlint';

/** The packages that each package may import. `client` and `web` import only the types of `protocol`. */
const PACKAGE_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  loop: ['protocol'],
  testing: ['protocol'],
  client: ['protocol'],
  web: ['protocol', 'client'],
  server: ['protocol', 'loop'],
  cli: ['protocol', 'client', 'server'],
  'test-server': ['protocol', 'server', 'testing'],
};

/**
 * The folders and files of `packages/server/src` that each of its folders may import, lowest layer first. Files at the top
 * and `startup/` put the server together and may import everything.
 */
const SERVER_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  chat: [],
  postgres: [],
  systemd: [],
  watchdog: [],
  approvals: [],
  bus: ['postgres', 'start-error.ts'],
  store: ['approvals', 'chat', 'postgres', 'start-error.ts'],
  secrets: ['postgres', 'start-error.ts', 'store'],
  search: ['store'],
  auth: ['bus', 'chat', 'store'],
  oidc: ['auth'],
  limits: ['auth', 'chat', 'store'],
  images: ['auth'],
  present: ['chat', 'store'],
  providers: ['secrets', 'store'],
  stream: ['approvals', 'auth', 'bus', 'chat', 'present', 'store'],
  protocols: ['chat', 'store', 'stream'],
  'ui-stream': ['chat', 'protocols', 'store', 'stream'],
  'ag-ui': ['chat', 'present', 'protocols', 'store', 'stream', 'ui-stream'],
  openai: ['chat', 'present', 'protocols', 'store', 'stream'],
  a2a: ['chat', 'protocols', 'stream'],
  machine: ['providers'],
  machines: ['bus', 'chat', 'machine', 'secrets', 'store'],
  provisioners: ['auth', 'store'],
  workspaces: ['bus', 'chat', 'limits', 'machine', 'machines', 'provisioners', 'store', 'stream'],
  desktop: ['chat', 'machine', 'store', 'stream', 'workspaces'],
  tools: ['chat', 'desktop', 'machine', 'machines', 'secrets', 'store', 'workspaces'],
  git: ['bus', 'chat', 'machine', 'providers', 'secrets', 'store', 'tools', 'workspaces'],
  outbox: ['providers', 'secrets', 'store'],
  webhooks: ['outbox', 'secrets', 'store'],
  push: ['outbox', 'secrets', 'store'],
  mcp: ['auth', 'chat', 'machine', 'providers', 'secrets', 'store', 'tools'],
  'mcp-server': [],
  worker: ['approvals', 'bus', 'chat', 'images', 'providers', 'store', 'stream', 'tools'],
  titles: ['chat', 'providers', 'store', 'worker'],
  subagents: ['bus', 'chat', 'desktop', 'store', 'tools'],
  'process-group': ['config.ts', 'start-error.ts'],
  observability: ['bus', 'chat', 'providers', 'secrets', 'store', 'stream', 'worker'],
  entities: [
    'auth',
    'chat',
    'git',
    'limits',
    'machine',
    'machines',
    'mcp',
    'oidc',
    'providers',
    'push',
    'secrets',
    'store',
    'workspaces',
  ],
  triggers: ['auth', 'bus', 'chat', 'entities', 'limits', 'secrets', 'store', 'workspaces'],
  http: [
    'a2a',
    'ag-ui',
    'entities',
    'approvals',
    'auth',
    'chat',
    'desktop',
    'git',
    'limits',
    'machine',
    'machines',
    'mcp',
    'mcp-server',
    'observability',
    'oidc',
    'openai',
    'outbox',
    'present',
    'protocols',
    'providers',
    'push',
    'search',
    'store',
    'stream',
    'titles',
    'tools',
    'triggers',
    'ui-stream',
    'webhooks',
    'worker',
    'workspaces',
  ],
  backup: [
    'borrowed-database.ts',
    'config.ts',
    'machine',
    'postgres',
    'start-error.ts',
    'store',
    'version.ts',
    'workspaces',
  ],
  doctor: [
    'auth',
    'borrowed-database.ts',
    'bus',
    'config.ts',
    'desktop',
    'machine',
    'machines',
    'node-version.ts',
    'oidc',
    'postgres',
    'secrets',
    'start-error.ts',
    'startup',
    'store',
    'version.ts',
    'workspaces',
  ],
};

/** Folders below a folder of `server/src` have at most this depth. */
const DEPTH = 4;

const restricted = (patterns: readonly object[], paths: readonly object[] = []) => ({
  'no-restricted-imports': ['error', { paths, patterns }] as never,
});

const otherPackages = (name: string) => {
  const allowed = PACKAGE_IMPORTS[name] ?? [];
  return {
    group: ['@chatd/*', ...allowed.map((other) => `!@chatd/${other}`)],
    message: `${name} may import of our packages: ${allowed.join(', ') || 'none'}.`,
  };
};

const TESTS = ['**/*.test.ts', '**/*.test.tsx'];

const packageLayer = (name: string) => ({
  files: [`packages/${name}/src/**`],
  excludeFiles: TESTS,
  rules: restricted([otherPackages(name)]),
});

const PURE = {
  group: ['pg', 'node:*'],
  message: 'chat/ is pure: state, table and plans, without a database and without HTTP.',
};

const entries = readdirSync(join(import.meta.dirname, 'packages/server/src'));

/** One override for each depth, because the same folder is `../store` or `../../store` there. */
const serverLayers = Object.entries(SERVER_IMPORTS).flatMap(([folder, allowed]) => {
  const forbidden = entries.filter((entry) => entry !== folder && !allowed.includes(entry));
  return Array.from({ length: DEPTH }, (_, index) => {
    const up = '../'.repeat(index + 1);
    const names = forbidden.map((entry) => entry.replaceAll('.', String.raw`\.`)).join('|');
    return {
      files: [`packages/server/src/${folder}/${'*/'.repeat(index)}*.ts`],
      excludeFiles: TESTS,
      rules: restricted([
        otherPackages('server'),
        {
          regex: `^${up.replaceAll('.', String.raw`\.`)}(${names})(/|$)`,
          message: `${folder}/ may import: ${allowed.join(', ') || 'none'} (see layers.config.ts).`,
        },
        ...(folder === 'chat' ? [PURE] : []),
      ]),
    };
  });
});

/** The layers, checked by `npm run check`. All other rules of the linter are in `.oxlintrc.json`. */
export default defineConfig({
  categories: { correctness: 'off' },
  overrides: [
    ...['loop', 'testing', 'web', 'server', 'cli', 'test-server'].map(packageLayer),
    {
      files: ['packages/protocol/src/**'],
      rules: restricted([
        { group: ['@chatd/*', 'node:*'], message: 'protocol imports none of our packages.' },
      ]),
    },
    {
      files: ['packages/client/src/**'],
      rules: restricted(
        [
          otherPackages('client'),
          { group: ['node:*'], message: 'client also runs in browsers, without Node.' },
        ],
        ['@chatd/protocol', 'ai'].map((name) => ({
          name,
          allowTypeImports: true,
          message: `client may import only types of ${name}.`,
        })),
      ),
    },
    ...serverLayers,
  ],
  ignorePatterns: ['**/dist/**', '**/node_modules/**'],
});
