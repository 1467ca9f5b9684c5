import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { parseOrigin } from './auth/allowed-origins.ts';
import { parseAllowedHost } from './auth/hosts.ts';
import { parseProxyRange } from './auth/trusted-proxies.ts';
import { parseIssuer } from './oidc/issuer.ts';
import { splitKeys } from './secrets/master-key.ts';

/** `HOST:PORT`, an IPv6 host in brackets. */
const Listen = z
  .string()
  .transform((text) => /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text))
  .refine((match) => match !== null && Number(match[3]) <= 65_535, 'HOST:PORT or [IPv6]:PORT')
  .transform((match) => ({ host: match?.[1] ?? match?.[2] ?? '', port: Number(match?.[3]) }));

const url = (what: string, ...protocols: string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol.slice(0, -1)),
      what,
    );

const PostgresUrl = url('postgresql://USER:PASSWORD@HOST:PORT/DATABASE', 'postgres', 'postgresql');

const BUS = 'nats://USER:PASSWORD@HOST:PORT, tls://… or memory:';
const BusUrl = z.union([z.literal('memory:'), url(BUS, 'nats', 'tls')], BUS);

const FILES = 'https://ACCESS_KEY_ID:SECRET_ACCESS_KEY@HOST/BUCKET?region=REGION';
const FilesUrl = url(FILES, 'https', 'http').refine((text) => {
  const { username, password } = new URL(text);
  return username !== '' && password !== '';
}, FILES);

/** Comma-separated text, or a list in chatd.json. */
const listOf = <T>(parse: (word: string) => T | undefined, what: string) =>
  z
    .union([z.string().transform((text) => text.split(',')), z.array(z.string())])
    .transform((words) => words.map((word) => word.trim()).filter((word) => word !== ''))
    .transform((words) => words.map(parse))
    .refine((items) => items.every((item) => item !== undefined), what)
    .transform((items) => items.filter((item) => item !== undefined));

const AllowedHosts = listOf(
  parseAllowedHost,
  'host names, with or without a port, separated by commas',
);
const AllowedOrigins = listOf(
  parseOrigin,
  'origins such as https://app.example.org, without a path, separated by commas; * is not supported',
);
const TrustedProxies = listOf(
  parseProxyRange,
  'addresses or ranges, such as 127.0.0.1 or 10.0.0.0/8, separated by commas; /0 is not allowed',
);

const AddressRanges = listOf(
  parseProxyRange,
  'addresses or ranges, such as 10.1.2.3 or 10.0.0.0/8, separated by commas',
);

const PublicUrl = z
  .string()
  .refine((text) => parseOrigin(text) !== undefined, 'https://HOST, without a path')
  .transform((text) => parseOrigin(text) ?? text);

const Issuer = z
  .string()
  .refine(
    (text) => parseIssuer(text) !== undefined,
    'https://HOST/PATH, without a query; http:// only for a provider on this computer',
  );

const Scopes = z
  .string()
  .refine(
    (text) => text.split(' ').includes('openid'),
    'scopes separated by spaces, with openid among them',
  );

const Names = listOf((word) => word, 'names separated by commas');
const Domains = listOf(
  (word) => (/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(word) ? word.toLowerCase() : undefined),
  'domains such as example.org, separated by commas',
);

const PreviewDomain = z
  .string()
  .regex(
    /^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d{1,5})?$/,
    'a domain in lower case, with or without a port',
  );

const Flag = z.union(
  [z.boolean(), z.enum(['0', '1', 'true', 'false']).transform((text) => /^(1|true)$/.test(text))],
  '1 or 0',
);

const wholeNumber = (least: number, most: number) =>
  z
    .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
    .refine(
      (value) => Number.isInteger(value) && value >= least && value <= most,
      `a whole number from ${least} to ${most}`,
    );

const PROCESSES = 'a whole number from 1 to 64, or auto';
const Processes = z.union([z.literal('auto'), wholeNumber(1, 64)], PROCESSES);

const Secret = z
  .string()
  .regex(/^[\x21-\x7e]{16,}$/, 'at least 16 visible ASCII characters, without spaces');

/** For rotation: the new key first, then the previous ones. */
const SecretKeys = Secret.refine(
  (text) => splitKeys(text).every((key) => key.length >= 16),
  'at least 16 visible ASCII characters per key; separate several keys with commas',
);

/** Not from a file name: every setting is a value. */
const PrivateKey = z
  .string()
  .transform((text) => text.replaceAll('\\n', '\n').trim())
  .refine(isRsaKey, 'an RSA private key in PEM format');

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

const Repositories = listOf(
  (word) => (/^[\w.-]+\/(?:[\w.-]+|\*)$/.test(word) ? word : undefined),
  'repositories such as acme/shop, or acme/*, separated by commas',
);
const GitHostName = z
  .string()
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/, 'a host name, with or without a port');

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export interface Setting {
  readonly schema: z.ZodType;
  readonly help: string;
  /** Not available as a flag: every user of the machine can read the arguments of a process. */
  readonly secret?: true;
}

/** All settings by their names in chatd.json. CHATD_NAME and --name are derived from them. */
export const SETTINGS = {
  listen: { schema: Listen, help: 'Address to listen on. Default: 127.0.0.1:7717' },
  database_url: {
    schema: PostgresUrl,
    help: 'URL of an external PostgreSQL. Default: the embedded PostgreSQL in the data directory',
  },
  database_direct_url: {
    schema: PostgresUrl,
    help: 'URL of the same database without a connection pooler. Default: database_url',
  },
  database_connections: {
    schema: wholeNumber(2, 1000),
    help: 'Max PostgreSQL connections of this server. Several processes divide them, with at least 5 each. Default: 20',
  },
  bus_url: {
    schema: BusUrl,
    help: 'Message bus between replicas: nats://…, or memory: for a single replica. Default: PostgreSQL',
  },
  files_url: {
    schema: FilesUrl,
    help: `S3-compatible storage for file contents: ${FILES}. Default: the database`,
    secret: true,
  },
  admin_token: {
    schema: Secret,
    help: 'API token of an admin, valid while it is set',
    secret: true,
  },
  metrics_token: {
    schema: Secret,
    help: 'Token for /metrics only. It also works while the database is unavailable',
    secret: true,
  },
  secret_key: {
    schema: SecretKeys,
    help: 'Key that encrypts stored secrets. Several are separated by commas: the first encrypts, all decrypt',
    secret: true,
  },
  allowed_hosts: {
    schema: AllowedHosts,
    help: 'Host names of the server besides loopback, separated by commas',
  },
  allowed_origins: {
    schema: AllowedOrigins,
    help: 'Origins of other sites whose pages may call the API with a token, separated by commas',
  },
  trusted_proxies: {
    schema: TrustedProxies,
    help: 'Addresses or ranges of proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted',
  },
  public_url: {
    schema: PublicUrl,
    help: 'URL of this server in browsers, for sign-in with OIDC, sign-in links, and links to shared chats. Default: as in the request',
  },
  oidc_issuer: {
    schema: Issuer,
    help: 'Issuer URL of an OpenID Connect provider for sign-in. Requires oidc_client_id',
  },
  oidc_client_id: {
    schema: z.string(),
    help: 'Client ID of this server at the OIDC provider',
  },
  oidc_client_secret: {
    schema: z.string(),
    help: 'Client secret of this server at the OIDC provider. Default: none, for a public client',
    secret: true,
  },
  oidc_scopes: {
    schema: Scopes,
    help: 'Scopes to request, separated by spaces. Default: openid profile email',
  },
  oidc_groups_claim: {
    schema: z.string(),
    help: 'Claim with the groups of a user, or a path with dots. Default: groups',
  },
  oidc_admin_groups: {
    schema: Names,
    help: 'Groups whose members are admins, separated by commas. Default: none; admins are chosen in chatd',
  },
  oidc_allowed_domains: {
    schema: Domains,
    help: 'Domains of verified e-mail addresses that may sign in, separated by commas. Default: all accounts of the provider',
  },
  oidc_name: {
    schema: z.string().max(60, 'at most 60 characters'),
    help: 'Name of the OIDC provider on the sign-in page. Default: SSO',
  },
  github_app_id: {
    schema: z
      .union([z.string(), z.int().transform(String)])
      .refine((text) => /^[\w.-]{1,100}$/.test(text), 'the App ID or the client ID of the app'),
    help: 'ID of a GitHub App, for users without a token of their own. Requires github_app_private_key and github_app_repositories',
  },
  github_app_private_key: {
    schema: PrivateKey,
    help: 'Private key of the GitHub App in PEM format. Line breaks can be written as \\n',
    secret: true,
  },
  github_app_repositories: {
    schema: Repositories,
    help: 'Repositories that all users reach through the GitHub App: owner/name or owner/*, separated by commas',
  },
  github_app_host: {
    schema: GitHostName,
    help: 'Host of the GitHub App. Default: github.com',
  },
  github_webhook_secret: {
    schema: Secret,
    help: 'Secret of webhooks of GitHub to /git/webhooks/github, which update pull requests in the web UI at once',
    secret: true,
  },
  password_sign_in: {
    schema: Flag,
    help: '0: disable sign-in with passwords. Sign-in links still work. Default: 1',
  },
  preview_domain: {
    schema: PreviewDomain,
    help: 'Domain for previews of workspace ports, with a wildcard DNS record to this server. Use another domain than that of chatd. Default: localhost',
  },
  allow_private_urls: {
    schema: Flag,
    help: '1: allow private addresses for providers and MCP servers. Default: 0',
  },
  processes: {
    schema: Processes,
    help: 'Processes that share the port: a number, or auto for one per core, up to 8. Default: 1',
  },
  concurrency: {
    schema: wholeNumber(0, 10_000),
    help: 'Max concurrent chats per process. 0: serve requests only. Default: 256',
  },
  rate_limit: {
    schema: wholeNumber(0, 1_000_000),
    help: 'Points per minute and user for expensive requests to this server. 0: no limit. Default: 6000, or 0 if only this machine can reach the server',
  },
  request_concurrency: {
    schema: wholeNumber(1, 1000),
    help: 'Max concurrent expensive requests of one kind per user on this server. Default: 4',
  },
  lease_seconds: {
    schema: wholeNumber(1, 3600),
    help: 'Seconds without a heartbeat after which other processes take over the chats of a process. Default: 30',
  },
  max_owner_deaths: {
    schema: wholeNumber(0, 1000),
    help: 'Consecutive crashes of the process that runs a chat before the chat is stopped with an error. 0: no limit. Default: 3',
  },
  audit_retention_days: {
    schema: wholeNumber(0, 36_500),
    help: 'Days after which events of the audit log are deleted. 0: never. Default: 365',
  },
  migrate_without_waiting: {
    schema: Flag,
    help: '1: apply migrations that remove something without waiting for older replicas, which then stop. Default: 0',
  },
  internal_url: {
    schema: url('http://HOST:PORT or https://…', 'http', 'https'),
    help: 'Address at which other replicas reach this one. Default: the address it listens on',
  },
  local_machine: {
    schema: Flag,
    help: '0: this server hosts no workspaces itself; machines do (chatd machine). Default: 1',
  },
  workspaces: {
    schema: Flag,
    help: '0: disable workspaces on this server. Default: 1',
  },
  templates_dir: {
    schema: z.string().refine((text) => text.startsWith('/'), 'an absolute path'),
    help: 'Folder with workspace templates, one JSON file each',
  },
  workspace_idle_minutes: {
    schema: wholeNumber(0, 1_000_000),
    help: 'Minutes without use after which a workspace is stopped. 0: never. Default: 60',
  },
  workspace_disk_mb: {
    schema: wholeNumber(0, 100_000_000),
    help: 'Disk space per workspace in megabytes, unless its template sets another limit. 0: no limit. Default: 10240',
  },
  disk_reserve_mb: {
    schema: wholeNumber(0, 100_000_000),
    help: 'Free disk space in megabytes that workspaces leave for the database. 0: none. Default: 2048',
  },
  workspace_private_addresses: {
    schema: AddressRanges,
    help: 'Private addresses that workspaces with network access can reach, separated by commas. Default: none',
  },
  allow_unsandboxed: {
    schema: Flag,
    help: '1: allow commands of agents without a sandbox where bubblewrap does not work. Default: 0',
  },
  mcp_tool_limit: {
    schema: wholeNumber(0, 10_000),
    help: 'Max MCP tools in a prompt. With more, agents search for the tools they need. Default: 50',
  },
  mcp_tool_bytes: {
    schema: wholeNumber(0, 10_000_000),
    help: 'Max bytes of MCP tool descriptions in a prompt. Default: 65536',
  },
  mcp_programs: {
    schema: wholeNumber(1, 10_000),
    help: 'Max concurrent MCP server programs (stdio) per process. Default: 64',
  },
  mcp_programs_per_user: {
    schema: wholeNumber(1, 10_000),
    help: 'Max concurrent MCP server programs per user. Default: 8',
  },
  mcp_program_idle_minutes: {
    schema: wholeNumber(1, 100_000),
    help: 'Minutes without use after which an MCP server program is stopped. Default: 15',
  },
  log_level: {
    schema: z.enum(LOG_LEVELS, LOG_LEVELS.join(', ')),
    help: `Log level: ${LOG_LEVELS.join(', ')}. Default: info`,
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
export type SettingValues = {
  readonly [Name in SettingName]?: z.output<(typeof SETTINGS)[Name]['schema']>;
};

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The data directory holds chatd.json, so it cannot be set there. */
export const DATA_DIR = {
  name: 'data_dir',
  help: 'Data directory. Default: ~/.local/share/chatd, or /var/lib/chatd for root',
} as const;

export const environmentName = (name: string): string => `CHATD_${name.toUpperCase()}`;
export const flagName = (name: string): string => name.replaceAll('_', '-');
