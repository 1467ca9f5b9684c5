import type { BodyOf } from '@chatd/client';
import type { McpServer } from '@chatd/protocol';
import { linesIn, notNumbers, numberIn, numberText } from '../form/numbers.ts';
import type { FieldErrors } from '../form/use-form.ts';

type Auth = NonNullable<BodyOf<'createMcpServer'>['auth']>;
type Transport = NonNullable<McpServer['transport']>;

/** The form's values. Secrets are initially empty, and an empty secret keeps the stored one. */
export interface McpValues {
  readonly name: string;
  readonly transport: Transport;
  readonly url: string;
  readonly command: string;
  readonly args: string;
  readonly env: string;
  readonly cwd: string;
  readonly memory_mb: string;
  readonly open_files: string;
  readonly cpu_seconds: string;
  readonly auth_type: Auth['type'];
  readonly token: string;
  readonly header_name: string;
  readonly header_value: string;
  readonly grant: 'authorization_code' | 'client_credentials';
  readonly client_id: string;
  readonly client_secret: string;
  readonly scope: string;
  readonly issuer: string;
  readonly tool_allow: string;
  readonly tool_deny: string;
  readonly timeout_seconds: string;
  readonly trusted: boolean;
  readonly default_on: boolean;
  readonly enabled: boolean;
  /** Null: all users. */
  readonly group_ids: readonly string[] | null;
}

export const NO_SECRETS = { env: '', token: '', header_value: '', client_secret: '' } as const;

export function valuesOfServer(server: McpServer | undefined): McpValues {
  const auth = server?.auth ?? { type: 'none' as const };
  const oauth = auth.type === 'oauth' ? auth : undefined;
  return {
    ...NO_SECRETS,
    name: server?.name ?? '',
    transport: server?.transport ?? 'http',
    url: server?.url ?? '',
    command: server?.command ?? '',
    args: (server?.args ?? []).join('\n'),
    cwd: server?.cwd ?? '',
    memory_mb: numberText(server?.limits?.memory_mb),
    open_files: numberText(server?.limits?.open_files),
    cpu_seconds: numberText(server?.limits?.cpu_seconds),
    auth_type: auth.type,
    header_name: auth.type === 'header' ? auth.name : '',
    grant: oauth?.grant ?? 'authorization_code',
    client_id: oauth?.client_id ?? '',
    scope: oauth?.scope ?? '',
    issuer: oauth?.issuer ?? '',
    tool_allow: (server?.tool_allow ?? []).join('\n'),
    tool_deny: (server?.tool_deny ?? []).join('\n'),
    timeout_seconds: String(server?.timeout_seconds ?? 300),
    trusted: server?.trusted ?? false,
    default_on: server?.default_on ?? false,
    enabled: server?.enabled ?? true,
    group_ids: server?.group_ids ?? null,
  };
}

/** `NAME=value`, one per line; undefined when a line is invalid. */
function environmentIn(text: string): Record<string, string> | undefined {
  const pairs = linesIn(text).map((line) => /^([^=\s]+)=(.*)$/.exec(line));
  if (pairs.some((pair) => pair === null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}

const LIMITS = ['memory_mb', 'open_files', 'cpu_seconds'] as const;

const limitsIn = (values: McpValues) =>
  Object.fromEntries(
    LIMITS.flatMap((name) => {
      const limit = numberIn(values[name]);
      return limit === undefined ? [] : [[name, limit] as const];
    }),
  );

export function checkServer(values: McpValues): FieldErrors {
  return {
    ...Object.fromEntries(
      Object.entries(notNumbers(values, LIMITS)).map(([name, error]) => [`limits.${name}`, error]),
    ),
    ...(environmentIn(values.env) === undefined && { env: 'must be NAME=value, one per line' }),
    ...(Number.isNaN(numberIn(values.timeout_seconds) ?? NaN) && {
      timeout_seconds: 'must be a number of seconds',
    }),
  };
}

/** The authentication to send. Undefined: unchanged, secrets included. */
function authOf(values: McpValues, before: McpValues | undefined): Auth | undefined {
  const keys = [
    'auth_type',
    'token',
    'header_name',
    'header_value',
    'grant',
    'client_id',
    'client_secret',
    'scope',
    'issuer',
  ] as const;
  if (before !== undefined && keys.every((key) => values[key] === before[key])) return undefined;
  switch (values.auth_type) {
    case 'none':
      return { type: 'none' };
    case 'bearer':
      return { type: 'bearer', token: values.token };
    case 'header':
      return { type: 'header', name: values.header_name.trim(), value: values.header_value };
    case 'oauth':
      return {
        type: 'oauth',
        grant: values.grant,
        ...(values.client_id !== '' && { client_id: values.client_id.trim() }),
        ...(values.client_secret !== '' && { client_secret: values.client_secret }),
        ...(values.scope !== '' && { scope: values.scope.trim() }),
        ...(values.issuer !== '' && { issuer: values.issuer.trim() }),
      };
  }
}

export function bodyOfServer(values: McpValues, before: McpValues | undefined) {
  const allow = linesIn(values.tool_allow);
  const env = environmentIn(values.env) ?? {};
  const auth = authOf(values, before);
  const way =
    values.transport === 'stdio'
      ? {
          command: values.command.trim(),
          args: values.args === '' ? [] : values.args.split('\n'),
          cwd: values.cwd.trim() === '' ? null : values.cwd.trim(),
          limits: limitsIn(values),
          ...((before === undefined || values.env.trim() !== '') && { env }),
        }
      : { url: values.url.trim(), ...(auth !== undefined && { auth }) };
  return {
    name: values.name.trim(),
    ...way,
    tool_allow: allow.length === 0 ? null : allow,
    tool_deny: linesIn(values.tool_deny),
    timeout_seconds: numberIn(values.timeout_seconds) ?? 300,
    group_ids: values.group_ids === null ? null : [...values.group_ids],
    // Switches of an existing server are saved at once.
    ...(before === undefined && {
      trusted: values.trusted,
      default_on: values.default_on,
      enabled: values.enabled,
    }),
  };
}
