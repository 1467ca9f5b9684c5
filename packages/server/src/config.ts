import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type HostAndPort, isLoopback } from './auth/hosts.ts';
import type { ProxyRange } from './auth/trusted-proxies.ts';
import type { GitHubAppOptions } from './git/github-app/github-app.ts';
import type { OidcOptions } from './oidc/options.ts';
import { PROGRAM_LIMITS, type ProgramLimits } from './mcp/stdio/programs.ts';
import { BUDGET } from './mcp/tools/budget.ts';
import {
  DATA_DIR,
  environmentName,
  flagName,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  type SettingValues,
} from './settings-table.ts';
import { StartError } from './start-error.ts';

export interface Config {
  readonly listen: { readonly host: string; readonly port: number };
  readonly dataDir: string;
  /** Undefined: the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined;
  readonly databaseDirectUrl: string | undefined;
  readonly busUrl: string | undefined;
  /** S3-compatible storage for the bytes of files. Undefined: the database. */
  readonly filesUrl: string | undefined;
  readonly adminToken: string | undefined;
  readonly metricsToken: string | undefined;
  readonly secretKey: string | undefined;
  readonly allowedHosts: readonly HostAndPort[];
  /** Origins of other sites whose pages may call the API with a token. */
  readonly allowedOrigins: readonly string[];
  readonly trustedProxies: readonly ProxyRange[];
  /** The origin of the server in browsers. Undefined: as each request says. */
  readonly publicUrl?: string | undefined;
  /** Undefined: no sign-in with OIDC. */
  readonly oidc?: OidcOptions | undefined;
  /** Undefined: users reach private repositories with tokens of their own only. */
  readonly githubApp?: GitHubAppOptions | undefined;
  readonly githubWebhookSecret?: string | undefined;
  /** Default: true. */
  readonly passwordSignIn?: boolean;
  /** The domain below which previews of ports have their host names. Undefined: only `localhost`. */
  readonly previewDomain?: string | undefined;
  readonly allowPrivateUrls: boolean;
  readonly logLevel: string;
  /** Where other replicas reach this one. Undefined: the address it listens on. */
  readonly internalUrl?: string | undefined;
  readonly workspaces: WorkspaceConfig;
  /** Limits of MCP tools in a prompt. With more, agents search for tools. */
  readonly mcpTools: { readonly tools: number; readonly bytes: number };
  readonly mcpPrograms: ProgramLimits & { readonly idleMs: number };
  readonly databaseConnections: number;
  /** Limits of expensive requests to this process. */
  readonly requestLimits: { readonly pointsPerMinute: number; readonly concurrency: number };
  /** Of `chatd serve`. */
  readonly processes: number | 'auto';
  /** Max concurrent chats in this process. 0: none. */
  readonly concurrency: number;
  readonly leaseMs: number;
  /** Consecutive crashes of the process that runs a chat before the chat is stopped with an error. */
  readonly maxOwnerDeaths: number;
  /** Null: events of the audit log are kept. */
  readonly auditRetentionDays: number | null;
  /** Migrations that remove something do not wait for older replicas. */
  readonly migrateWithoutWaiting: boolean;
}

export interface WorkspaceConfig {
  readonly enabled: boolean;
  /** Whether this server hosts workspaces itself. Default: true. */
  readonly localMachine?: boolean;
  readonly templatesDir: string | undefined;
  /** 0: never. */
  readonly idleMs: number;
  readonly allowUnsandboxed: boolean;
  /** Private addresses that workspaces with network access can reach. Default: none. */
  readonly privateAddresses?: readonly ProxyRange[];
  readonly disk?: DiskConfig;
}

interface DiskConfig {
  /** Default limit of a workspace. 0: no limit. */
  readonly workspaceMb: number;
  /** Free space that workspaces leave for the database. 0: none. */
  readonly reserveMb: number;
}

/** Settings by their names in chatd.json. */
export type GivenSettings = { readonly [Name in SettingName | typeof DATA_DIR.name]?: unknown };

export interface ConfigSources {
  /** Set by the embedding program. Highest precedence. */
  readonly given?: GivenSettings;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isRoot: boolean;
}

/** Precedence: embedding program, flags, environment, chatd.json. `warnings` name unknown CHATD_ variables. */
export function readConfig(sources: ConfigSources): { config: Config; warnings: string[] } {
  const { given = {} } = sources;
  refuseUnknown(given);
  const flags = readFlags(sources.args);
  const dataDir = resolve(
    givenText(given[DATA_DIR.name]) ??
      flags[flagName(DATA_DIR.name)] ??
      nonEmpty(sources.env[environmentName(DATA_DIR.name)]) ??
      defaultDataDir(sources),
  );
  const file = readFile(join(dataDir, 'chatd.json'));
  const values: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const found = firstGiven(name, { given, flags, env: sources.env, file });
    if (found !== undefined) values[name] = parse(name, found.value, found.where);
  }
  return { config: asConfig(dataDir, values), warnings: unknownVariables(sources.env) };
}

function asConfig(dataDir: string, values: SettingValues): Config {
  return {
    listen: values.listen ?? { host: '127.0.0.1', port: 7717 },
    dataDir,
    databaseUrl: values.database_url,
    databaseDirectUrl: values.database_direct_url,
    busUrl: values.bus_url,
    filesUrl: values.files_url,
    adminToken: values.admin_token,
    metricsToken: values.metrics_token,
    secretKey: values.secret_key,
    allowedHosts: values.allowed_hosts ?? [],
    allowedOrigins: values.allowed_origins ?? [],
    trustedProxies: values.trusted_proxies ?? [],
    publicUrl: values.public_url,
    oidc: asOidc(values),
    githubApp: asGitHubApp(values),
    githubWebhookSecret: values.github_webhook_secret,
    passwordSignIn: values.password_sign_in ?? true,
    previewDomain: values.preview_domain,
    allowPrivateUrls: values.allow_private_urls ?? false,
    logLevel: values.log_level ?? 'info',
    internalUrl: values.internal_url,
    workspaces: {
      enabled: values.workspaces ?? true,
      localMachine: values.local_machine ?? true,
      templatesDir: values.templates_dir,
      idleMs: (values.workspace_idle_minutes ?? 60) * 60_000,
      allowUnsandboxed: values.allow_unsandboxed ?? false,
      privateAddresses: values.workspace_private_addresses ?? [],
      disk: {
        workspaceMb: values.workspace_disk_mb ?? 10_240,
        reserveMb: values.disk_reserve_mb ?? 2048,
      },
    },
    mcpTools: {
      tools: values.mcp_tool_limit ?? BUDGET.tools,
      bytes: values.mcp_tool_bytes ?? BUDGET.bytes,
    },
    mcpPrograms: {
      total: values.mcp_programs ?? PROGRAM_LIMITS.total,
      perUser: values.mcp_programs_per_user ?? PROGRAM_LIMITS.perUser,
      idleMs: (values.mcp_program_idle_minutes ?? 15) * 60_000,
    },
    databaseConnections: values.database_connections ?? 20,
    requestLimits: {
      pointsPerMinute: values.rate_limit ?? (servesOnlyThisMachine(values) ? 0 : 6000),
      concurrency: values.request_concurrency ?? 4,
    },
    processes: values.processes ?? 1,
    concurrency: values.concurrency ?? 256,
    leaseMs: (values.lease_seconds ?? 30) * 1000,
    maxOwnerDeaths: (values.max_owner_deaths ?? 3) || Infinity,
    auditRetentionDays: (values.audit_retention_days ?? 365) || null,
    migrateWithoutWaiting: values.migrate_without_waiting ?? false,
  };
}

function asOidc(values: SettingValues): OidcOptions | undefined {
  const { oidc_issuer: issuer, oidc_client_id: clientId } = values;
  const given = SETTING_NAMES.filter(
    (name) => name.startsWith('oidc_') && values[name] !== undefined,
  );
  if (given.length === 0) return undefined;
  if (issuer === undefined || clientId === undefined) {
    throw new StartError(
      'usage',
      `${given.map(environmentName).join(', ')} is set, but not the OIDC provider.`,
      'Set CHATD_OIDC_ISSUER and CHATD_OIDC_CLIENT_ID.',
    );
  }
  return {
    issuer,
    clientId,
    clientSecret: values.oidc_client_secret,
    scopes: values.oidc_scopes ?? 'openid profile email',
    groupsClaim: values.oidc_groups_claim ?? 'groups',
    adminGroups: values.oidc_admin_groups ?? [],
    allowedDomains: values.oidc_allowed_domains ?? [],
    name: values.oidc_name ?? 'SSO',
  };
}

function asGitHubApp(values: SettingValues): GitHubAppOptions | undefined {
  const {
    github_app_id: appId,
    github_app_private_key: privateKey,
    github_app_repositories: repositories = [],
  } = values;
  const given = SETTING_NAMES.filter(
    (name) => name.startsWith('github_app_') && values[name] !== undefined,
  );
  if (given.length === 0) return undefined;
  if (appId === undefined || privateKey === undefined || repositories.length === 0) {
    throw new StartError(
      'usage',
      `${given.map(environmentName).join(', ')} is set, but the GitHub App is not complete.`,
      'Set CHATD_GITHUB_APP_ID, CHATD_GITHUB_APP_PRIVATE_KEY, and CHATD_GITHUB_APP_REPOSITORIES.',
    );
  }
  return { appId, privateKey, host: values.github_app_host ?? 'github.com', repositories };
}

/** No other machine can reach the server, not even through a proxy: a proxy needs one of these settings. */
const servesOnlyThisMachine = ({
  listen,
  public_url,
  allowed_hosts,
  trusted_proxies,
}: SettingValues): boolean =>
  isLoopback(listen?.host ?? '127.0.0.1') &&
  public_url === undefined &&
  (allowed_hosts ?? []).length === 0 &&
  (trusted_proxies ?? []).length === 0;

/** As root, PostgreSQL runs under another account, which cannot read the home of root. */
function defaultDataDir({ env, isRoot }: ConfigSources): string {
  if (isRoot) return '/var/lib/chatd';
  const data = nonEmpty(env['XDG_DATA_HOME']) ?? join(env['HOME'] ?? homedir(), '.local', 'share');
  return join(data, 'chatd');
}

const flagged = (name: SettingName) => (SETTINGS[name] as Setting).secret !== true;

function readFlags(args: readonly string[]): Record<string, string | undefined> {
  const names = [DATA_DIR.name, ...SETTING_NAMES.filter(flagged)].map(flagName);
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (error) {
    const [what] = String(error instanceof Error ? error.message : error).split(/\. |\n/);
    const known = names.map((name) => `--${name}`).join(', ');
    throw new StartError('usage', `${what}.`, `Known flags: ${known}. See chatd --help.`);
  }
}

function readFile(path: string): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new StartError(
      'usage',
      `${path} cannot be read: ${String(error)}`,
      'Check its permissions.',
    );
  }
  const value = asObject(path, text);
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(SETTINGS, name));
  if (unknown.length === 0) return value;
  throw new StartError(
    'usage',
    `${path} has unknown settings: ${unknown.join(', ')}.`,
    `Known settings: ${SETTING_NAMES.join(', ')}.`,
  );
}

function asObject(path: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new StartError(
      'usage',
      `${path} is not valid JSON: ${String(error)}`,
      'Correct the file.',
    );
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new StartError('usage', `${path} is not a JSON object.`, 'Expected {"listen": …}.');
}

interface Sources {
  given: GivenSettings;
  flags: Record<string, string | undefined>;
  env: Readonly<Record<string, string | undefined>>;
  file: Readonly<Record<string, unknown>>;
}

/** Empty values count as unset. */
function firstGiven(
  name: SettingName,
  { given, flags, env, file }: Sources,
): { value: unknown; where: string } | undefined {
  const candidates = [
    { where: `${name} in the settings`, value: given[name] },
    { where: `--${flagName(name)}`, value: flags[flagName(name)] },
    { where: environmentName(name), value: env[environmentName(name)] },
    { where: `${name} in chatd.json`, value: file[name] },
  ];
  return candidates.find(({ value }) => value !== undefined && value !== null && value !== '');
}

function refuseUnknown(given: GivenSettings): void {
  const known = [DATA_DIR.name, ...SETTING_NAMES];
  const unknown = Object.keys(given).filter((name) => !known.some((one) => one === name));
  if (unknown.length === 0) return;
  throw new StartError(
    'usage',
    `Unknown settings: ${unknown.join(', ')}.`,
    `Known settings: ${known.join(', ')}.`,
  );
}

const givenText = (value: unknown) => (typeof value === 'string' ? nonEmpty(value) : undefined);

function parse(name: SettingName, value: unknown, where: string): unknown {
  const { schema, secret }: Setting = SETTINGS[name];
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const allowed = result.error.issues[0]?.message ?? 'another value';
  const shown = secret === true || name.endsWith('_url') ? '' : ` (${JSON.stringify(value)})`;
  throw new StartError(
    'usage',
    `${where} is not valid${shown}.`,
    `Expected: ${allowed}. (${SETTINGS[name].help})`,
  );
}

/** Variables of the tests and the client. */
const OTHER_VARIABLES = /^CHATD_(TEST|URL|TOKEN|MACHINE_)/;

function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = [DATA_DIR.name, ...SETTING_NAMES].map(environmentName);
  return Object.keys(env)
    .filter(
      (name) => name.startsWith('CHATD_') && !OTHER_VARIABLES.test(name) && !known.includes(name),
    )
    .map((name) => `Ignored the unknown setting ${name}. Known settings: ${known.join(', ')}`);
}

const nonEmpty = (text: string | undefined) => (text === '' ? undefined : text);
