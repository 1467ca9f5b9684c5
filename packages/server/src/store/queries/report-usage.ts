import type { UsageGroup } from '@chatd/protocol';
import type { UsageRow } from '../usage.ts';
import { type Statement, statement } from '../statement.ts';
import { USAGE_COLUMNS } from './usage-columns.ts';

/** What is grouped by. Not by its text, which would have to be made for every call. */
const GROUP: Record<UsageGroup, string> = {
  user: 'user_id',
  model: 'model_config_id',
  chat: 'root_chat_id',
  day: `(created_at AT TIME ZONE 'UTC')::date`,
  kind: 'kind',
};

const ORDER: Record<UsageGroup, string> = {
  user: 'cost_micros DESC, key',
  model: 'cost_micros DESC, key',
  chat: 'cost_micros DESC, key',
  day: 'key',
  kind: 'cost_micros DESC, key',
};

const keyOf = (group: UsageGroup): string =>
  group === 'day' ? `to_char(${GROUP.day}, 'YYYY-MM-DD')` : `${GROUP[group]}::text`;

/**
 * One user's calls are found through model_calls_by_user, those of all through model_calls_by_time, the range index.
 */
const report = (group: UsageGroup, whose: 'own' | 'all'): Statement<UsageRow> =>
  statement(
    `report-usage-by-${group}-${whose}`,
    `SELECT ${keyOf(group)} AS key, ${USAGE_COLUMNS}
       FROM model_calls
      WHERE created_at >= $1 AND created_at < $2 ${whose === 'own' ? 'AND user_id = $3' : ''}
      GROUP BY ${GROUP[group]}
      ORDER BY ${ORDER[group]}`,
  );

export const reportUsage = {
  own: {
    user: report('user', 'own'),
    model: report('model', 'own'),
    chat: report('chat', 'own'),
    day: report('day', 'own'),
    kind: report('kind', 'own'),
  },
  all: {
    user: report('user', 'all'),
    model: report('model', 'all'),
    chat: report('chat', 'all'),
    day: report('day', 'all'),
    kind: report('kind', 'all'),
  },
};
