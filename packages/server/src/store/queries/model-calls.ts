import type { UsageGroup } from '@chatd/protocol';
import type { UsageRow } from '../accounting/usage.ts';
import { statement } from '../statement.ts';
import { usableBy } from './groups.ts';

/** Sums over model_calls, named as in the report. Rows of the kind `tools` do not count as calls. */
const USAGE_COLUMNS = `count(*) FILTER (WHERE kind <> 'tools') AS calls,
  coalesce(sum(input_tokens), 0)::bigint AS input_tokens,
  coalesce(sum(output_tokens), 0)::bigint AS output_tokens,
  coalesce(sum(reasoning_tokens), 0)::bigint AS reasoning_tokens,
  coalesce(sum(cache_read_tokens), 0)::bigint AS cache_read_tokens,
  coalesce(sum(cache_creation_tokens), 0)::bigint AS cache_creation_tokens,
  coalesce(sum(cost_micros), 0)::bigint AS cost_micros,
  count(*) FILTER (WHERE cost_micros IS NULL) AS unpriced_calls,
  coalesce(sum(runtime_ms), 0)::bigint AS runtime_ms,
  coalesce(sum(runtime_ms) FILTER (WHERE kind = 'tools'), 0)::bigint AS tool_runtime_ms`;

/** The columns that come from the call itself. */
export interface ModelCallParams {
  model_config_id: string;
  input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  cache_read_tokens: number;
  cache_creation_tokens: number;
  cost_micros: number | null;
  runtime_ms: number;
  kind: string;
}

export const insertModelCall = statement<
  ModelCallParams & { user_id: string; chat_id: string; root_chat_id: string },
  never
>(
  'insert-model-call',
  `INSERT INTO model_calls (user_id, chat_id, root_chat_id, model_config_id, input_tokens, output_tokens,
                            reasoning_tokens, cache_read_tokens, cache_creation_tokens, cost_micros, runtime_ms,
                            kind)
   VALUES (:user_id, :chat_id, :root_chat_id, :model_config_id, :input_tokens, :output_tokens, :reasoning_tokens, :cache_read_tokens, :cache_creation_tokens, :cost_micros, :runtime_ms, :kind)`,
);

/** Grouped by value: converting every row to text would be slower. */
const GROUP: Record<UsageGroup, string> = {
  user: 'user_id',
  group: 'group_id',
  model: 'model_config_id',
  chat: 'root_chat_id',
  day: `(created_at AT TIME ZONE 'UTC')::date`,
  kind: 'kind',
};

const ORDER: Record<UsageGroup, string> = {
  user: 'cost_micros DESC, key',
  group: 'cost_micros DESC, key',
  model: 'cost_micros DESC, key',
  chat: 'cost_micros DESC, key',
  day: 'key',
  kind: 'cost_micros DESC, key',
};

/** Users without a group have the key `none`. */
const keyOf = (group: UsageGroup): string =>
  group === 'day'
    ? `to_char(${GROUP.day}, 'YYYY-MM-DD')`
    : group === 'group'
      ? `coalesce(group_id::text, 'none')`
      : `${GROUP[group]}::text`;

/** A call counts for each group that its user belongs to now. */
const sourceOf = (group: UsageGroup): string =>
  group === 'group' ? 'model_calls LEFT JOIN group_members USING (user_id)' : 'model_calls';

interface Period {
  from: Date;
  to: Date;
}

/** Through model_calls_by_user for one user, through model_calls_by_time for all. */
const reportOf = (group: UsageGroup, condition: string): string =>
  `SELECT ${keyOf(group)} AS key, ${USAGE_COLUMNS}
     FROM ${sourceOf(group)}
    WHERE created_at >= :from AND created_at < :to ${condition}
    GROUP BY ${GROUP[group]}
    ORDER BY ${ORDER[group]}`;

const own = (group: UsageGroup) =>
  statement<Period & { user_id: string }, UsageRow>(
    `report-usage-by-${group}-own`,
    reportOf(group, 'AND user_id = :user_id'),
  );

const all = (group: UsageGroup) =>
  statement<Period, UsageRow>(`report-usage-by-${group}-all`, reportOf(group, ''));

export const reportUsage = {
  own: {
    user: own('user'),
    group: own('group'),
    model: own('model'),
    chat: own('chat'),
    day: own('day'),
    kind: own('kind'),
  },
  all: {
    user: all('user'),
    group: all('group'),
    model: all('model'),
    chat: all('chat'),
    day: all('day'),
    kind: all('kind'),
  },
};

/**
 * The cost of a chat and its descendants, by model. For a root chat that includes deleted descendants. UNION guards
 * against cycles.
 */
export const chatCost = statement<{ chat_id: string; root_id: string }, UsageRow>(
  'chat-cost',
  `WITH RECURSIVE family AS (
     SELECT :chat_id::uuid AS id
     UNION
     SELECT chats.id FROM chats JOIN family ON chats.parent_chat_id = family.id
   )
   SELECT model_config_id::text AS key, ${USAGE_COLUMNS}
     FROM model_calls
    WHERE root_chat_id = :root_id::uuid AND (:chat_id = :root_id OR chat_id IN (SELECT id FROM family))
    GROUP BY model_config_id
    ORDER BY cost_micros DESC, key`,
);

export interface SpendRow {
  readonly limit_micros: number | null;
  readonly spent_micros: number;
  readonly unpriced_calls: number;
  readonly since: Date;
  readonly resets_at: Date;
}

const MONTH = `date_trunc('month', now(), 'UTC')`;
const NEXT_MONTH = `(date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC'`;
const LIMIT = `coalesce(users.spend_limit_micros, (settings.value ->> 'spend_limit_micros')::bigint)`;

/**
 * The spending limit of a user and the cost of the current month, by the database's clock. The sum reads only the index
 * model_calls_by_user.
 */
export const readSpend = statement<{ user_id: string }, SpendRow>(
  'read-spend',
  `SELECT ${LIMIT} AS limit_micros, calls.spent_micros, calls.unpriced_calls,
          ${MONTH} AS since, ${NEXT_MONTH} AS resets_at
     FROM users, settings,
          LATERAL (SELECT coalesce(sum(cost_micros), 0)::bigint AS spent_micros,
                          count(*) FILTER (WHERE cost_micros IS NULL) AS unpriced_calls
                     FROM model_calls
                    WHERE user_id = :user_id AND created_at >= ${MONTH}) AS calls
    WHERE users.id = :user_id`,
);

/** What all members of a group, or all users, may spend together. */
export interface SharedLimit {
  /** Null: the limit of the deployment. */
  readonly group_id: string | null;
  readonly group_name: string | null;
  readonly limit_micros: number;
}

export interface CallPermissionRow {
  /** The monthly spending limit of the user: their own, or the one in the settings. */
  readonly limit_micros: number | null;
  readonly suspended: boolean;
  readonly shared_limits: readonly SharedLimit[];
  /** The restricted models that the user cannot use. */
  readonly restricted: readonly string[];
}

/** What a user may call and spend. */
export const readCallPermissions = statement<{ user_id: string }, CallPermissionRow>(
  'read-call-permissions',
  `SELECT ${LIMIT} AS limit_micros, users.suspended_at IS NOT NULL AS suspended,
          (SELECT coalesce(jsonb_agg(jsonb_build_object('group_id', id, 'group_name', name, 'limit_micros', micros)
                                     ORDER BY name), '[]')
             FROM (SELECT groups.id, groups.name, groups.spend_limit_micros AS micros
                     FROM group_members JOIN groups ON groups.id = group_members.group_id
                    WHERE group_members.user_id = :user_id
                    UNION ALL
                   SELECT NULL, NULL, (settings.value ->> 'deployment_spend_limit_micros')::bigint) AS shared
            WHERE micros IS NOT NULL) AS shared_limits,
          ARRAY(SELECT id FROM model_configs WHERE NOT ${usableBy('model_configs', ':user_id')}) AS restricted
     FROM users, settings
    WHERE users.id = :user_id`,
);

export interface SharedSpendRow {
  readonly spent_micros: number;
  readonly resets_at: Date;
}

const SHARED_SPEND = `SELECT coalesce(sum(cost_micros), 0)::bigint AS spent_micros, ${NEXT_MONTH} AS resets_at
     FROM model_calls
    WHERE created_at >= ${MONTH}`;

/** The cost of the current month of all members. Reads only the index model_calls_by_user. */
export const readGroupSpend = statement<{ group_id: string }, SharedSpendRow>(
  'read-group-spend',
  `${SHARED_SPEND}
      AND user_id IN (SELECT user_id FROM group_members WHERE group_id = :group_id)`,
);

/** The cost of the current month of all users, through model_calls_by_time. */
export const readDeploymentSpend = statement<null, SharedSpendRow>(
  'read-deployment-spend',
  SHARED_SPEND,
);
