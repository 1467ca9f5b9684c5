import type { Trigger, TriggerRun } from '@chatd/protocol';
import type { TriggerRunRow } from '../store/queries/triggers/runs.ts';
import type { TriggerRow } from '../store/queries/triggers/triggers.ts';

/** Requests to webhooks have paths below this one. */
export const HOOKS_PREFIX = '/hooks';

export const presentTrigger = (row: TriggerRow): Trigger => ({
  id: row.id,
  owner_id: row.owner_id,
  name: row.name,
  kind: row.kind,
  enabled: row.enabled,
  disabled_reason: row.disabled_reason,
  ...(row.cron !== null && {
    cron: row.cron,
    timezone: row.timezone ?? 'UTC',
    missed: row.missed ?? 'skip',
  }),
  next_fire_at: timeOf(row.next_fire_at),
  ...(row.verification !== null && {
    verification: row.verification,
    path: `${HOOKS_PREFIX}/${row.id}`,
  }),
  prompt: row.prompt,
  chat: row.chat,
  concurrency: row.concurrency,
  max_failures: row.max_failures,
  failures: row.failures,
  spend_limit_micros: row.spend_limit_micros,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export const presentTriggerRun = (row: TriggerRunRow): TriggerRun => ({
  id: row.id,
  trigger_id: row.trigger_id,
  fire_time: timeOf(row.fire_time),
  delivery_id: row.delivery_id,
  status: row.status,
  reason: row.reason,
  chat_id: row.chat_id,
  created_at: row.created_at.toISOString(),
  ended_at: timeOf(row.ended_at),
});

const timeOf = (time: Date | null): string | null => time?.toISOString() ?? null;
