import type { McpAuthInput, Routes } from '@chatd/protocol';
import type { z } from 'zod';
import type { FieldError } from '../../chat/refused.ts';
import type { McpServerRow } from '../../store/mcp-servers.ts';
import { type ServerSecrets, splitAuth } from '../../mcp/server-secrets.ts';

export type ServerChange = z.output<Routes['updateMcpServer']['body']>;

/** The row and the secrets after a change. */
export function planMcpServer(
  before: McpServerRow,
  secrets: ServerSecrets,
  change: ServerChange,
): { row: McpServerRow; secrets: ServerSecrets } {
  const { env = secrets.env, auth: given, ...rest } = change;
  const { auth, secret } =
    given === undefined ? { auth: before.auth, secret: secrets.auth } : splitAuth(given);
  return {
    row: { ...before, ...defined(rest), auth, env_names: Object.keys(env).toSorted() },
    secrets: { env, ...(secret !== undefined && { auth: secret }) },
  };
}

/** Fields that the transport requires or does not support. */
export function conflictingFields(row: McpServerRow, change: ServerChange): FieldError[] {
  const own = row.transport === 'stdio' ? (['command'] as const) : (['url'] as const);
  const foreign =
    row.transport === 'stdio'
      ? (['url', 'auth'] as const)
      : (['command', 'args', 'env', 'cwd', 'limits'] as const);
  return [
    ...own
      .filter((path) => row[path] === null)
      .map((path) => ({ path, message: `is required for ${row.transport}` })),
    ...foreign
      .filter((path) => change[path] !== undefined && !isEmpty(change[path]))
      .map((path) => ({ path, message: `cannot be set for ${row.transport}` })),
    ...(isIncomplete(change.auth)
      ? [{ path: 'auth', message: 'client_credentials requires a client_id and a client_secret' }]
      : []),
  ];
}

const isEmpty = (value: ServerChange[keyof ServerChange]): boolean =>
  value === null ||
  (typeof value === 'object' &&
    (Array.isArray(value)
      ? value.length === 0
      : 'type' in value
        ? value.type === 'none'
        : Object.keys(value).length === 0));

const isIncomplete = (auth: McpAuthInput | undefined): boolean =>
  auth?.type === 'oauth' &&
  auth.grant === 'client_credentials' &&
  (auth.client_id === undefined || auth.client_secret === undefined);

/** Whether the URL or the authentication differs. Existing sessions are then deleted, not sent to the new endpoint. */
export const changesEndpoint = (before: McpServerRow, after: McpServerRow): boolean =>
  before.url !== after.url || JSON.stringify(before.auth) !== JSON.stringify(after.auth);

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
