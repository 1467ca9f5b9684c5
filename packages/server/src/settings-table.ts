import { z } from 'zod';
import { parseOrigin } from './auth/allowed-origins.ts';
import { parseAllowedHost } from './auth/hosts.ts';
import { parseProxyRange } from './auth/trusted-proxies.ts';
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

/** In text separated by commas, in chatd.json a list. */
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
  'addresses or ranges of them, such as 127.0.0.1 or 10.0.0.0/8, separated by commas; not everybody (/0)',
);

const AddressRanges = listOf(
  parseProxyRange,
  'addresses or ranges of them, such as 10.1.2.3 or 10.0.0.0/8, separated by commas',
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

const Secret = z
  .string()
  .regex(/^[\x21-\x7e]{16,}$/, 'at least 16 visible ASCII characters, without spaces');

/** To rotate: the new one first, those before it after a comma. */
const SecretKeys = Secret.refine(
  (text) => splitKeys(text).every((key) => key.length >= 16),
  'at least 16 visible ASCII characters; several are separated by commas',
);

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export interface Setting {
  readonly schema: z.ZodType;
  readonly help: string;
  /** Not as a flag: everybody on the machine can read those. */
  readonly secret?: true;
}

/** Everything that can be set, by its name in chatd.json. CHATD_NAME and --name are made from it. */
export const SETTINGS = {
  listen: { schema: Listen, help: 'Where to listen; 127.0.0.1:7717 unless told' },
  database_url: {
    schema: PostgresUrl,
    help: 'A PostgreSQL of your own; empty: one in the data directory',
  },
  database_direct_url: {
    schema: PostgresUrl,
    help: 'The same database without a pooler in between',
  },
  database_connections: {
    schema: wholeNumber(2, 1000),
    help: 'How many connections to PostgreSQL a process has at most; 20 unless told',
  },
  bus_url: {
    schema: BusUrl,
    help: 'Where replicas meet: nats://…, or memory: for one alone; empty: in PostgreSQL',
  },
  files_url: {
    schema: FilesUrl,
    help: `S3-compatible storage for the bytes of files: ${FILES}. Default: the database`,
    secret: true,
  },
  admin_token: {
    schema: Secret,
    help: 'An API token of an admin, valid while it is set',
    secret: true,
  },
  metrics_token: {
    schema: Secret,
    help: 'A token for /metrics alone, which is let in while the database is away, too',
    secret: true,
  },
  secret_key: {
    schema: SecretKeys,
    help: 'Encrypts the keys of providers at rest; the first of several encrypts, all decrypt',
    secret: true,
  },
  allowed_hosts: {
    schema: AllowedHosts,
    help: 'Names under which the server is reached, besides loopback; separated by commas',
  },
  allowed_origins: {
    schema: AllowedOrigins,
    help: 'Origins of other sites whose pages may call the API with a token; separated by commas',
  },
  trusted_proxies: {
    schema: TrustedProxies,
    help: 'Addresses or ranges of proxies in front, whose X-Forwarded-For and -Proto count',
  },
  allow_private_urls: {
    schema: Flag,
    help: '1: providers and MCP servers may have private addresses. Default: 0',
  },
  concurrency: {
    schema: wholeNumber(0, 10_000),
    help: 'Chats that run in this process at once; 0: it only serves. 256 unless told',
  },
  rate_limit: {
    schema: wholeNumber(0, 1_000_000),
    help: 'Points per minute that a user has for expensive requests in this process; 0: no limit. Default: 6000',
  },
  request_concurrency: {
    schema: wholeNumber(1, 1000),
    help: 'Expensive requests of one kind that a user runs at the same time in this process. Default: 4',
  },
  lease_seconds: {
    schema: wholeNumber(1, 3600),
    help: 'How long a process may be silent before others take its chats; 30 unless told',
  },
  max_owner_deaths: {
    schema: wholeNumber(0, 1000),
    help: 'Times in a row that the process of a chat may die before the chat is set aside; 0: no limit. Default: 3',
  },
  migrate_without_waiting: {
    schema: Flag,
    help: '1: a migration that takes something away does not wait for older replicas, which stop working',
  },
  workspaces: {
    schema: Flag,
    help: '0: agents have no workspaces here; 1 unless told',
  },
  templates_dir: {
    schema: z.string().refine((text) => text.startsWith('/'), 'an absolute path'),
    help: 'A folder of templates for workspaces, one JSON file each',
  },
  workspace_idle_minutes: {
    schema: wholeNumber(0, 1_000_000),
    help: 'After how long without use a workspace is stopped; 0: never. 60 unless told',
  },
  workspace_disk_mb: {
    schema: wholeNumber(0, 100_000_000),
    help: 'Disk space of a workspace, in megabytes, unless its template says otherwise. 0: no limit. Default: 10240',
  },
  disk_reserve_mb: {
    schema: wholeNumber(0, 100_000_000),
    help: 'Free disk space that workspaces leave to the database, in megabytes. 0: none. Default: 2048',
  },
  workspace_private_addresses: {
    schema: AddressRanges,
    help: 'Private addresses that workspaces with network access can reach, separated by commas. Default: none',
  },
  allow_unsandboxed: {
    schema: Flag,
    help: '1: commands of agents may run without a sandbox where bubblewrap does not work',
  },
  mcp_tool_limit: {
    schema: wholeNumber(0, 10_000),
    help: 'How many tools of MCP servers a prompt lists; of more, agents search what they need. 50 unless told',
  },
  mcp_tool_bytes: {
    schema: wholeNumber(0, 10_000_000),
    help: 'How many bytes their descriptions may take of a prompt; 65536 unless told',
  },
  mcp_programs: {
    schema: wholeNumber(1, 10_000),
    help: 'Programs of MCP servers (stdio) that run in this process at the same time. Default: 64',
  },
  mcp_programs_per_user: {
    schema: wholeNumber(1, 10_000),
    help: 'Of them, programs that run for one user. Default: 8',
  },
  mcp_program_idle_minutes: {
    schema: wholeNumber(1, 100_000),
    help: 'Minutes without use after which the program of an MCP server ends. Default: 15',
  },
  log_level: {
    schema: z.enum(LOG_LEVELS, LOG_LEVELS.join(', ')),
    help: `${LOG_LEVELS.join(', ')}; info unless told`,
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
  help: 'Where everything is kept',
} as const;

export const environmentName = (name: string): string => `CHATD_${name.toUpperCase()}`;
export const flagName = (name: string): string => name.replaceAll('_', '-');
