import type { ChatStatus, TriggerRunStatus } from '@chatd/protocol';
import { statement } from '../../statement.ts';
import { timeOf } from '../chats/columns.ts';

export interface TriggerRunRow {
  readonly id: string;
  readonly trigger_id: string;
  readonly fire_time: Date | null;
  readonly delivery_id: string | null;
  readonly status: TriggerRunStatus;
  readonly reason: string | null;
  readonly chat_id: string | null;
  readonly created_at: Date;
  readonly ended_at: Date | null;
}

const COLUMNS = [
  'id',
  'trigger_id',
  'fire_time',
  'delivery_id',
  'status',
  'reason',
  'chat_id',
  'created_at',
  'ended_at',
].join(', ');

export interface NewTriggerRun {
  readonly id: string;
  readonly trigger_id: string;
  readonly fire_time: Date | null;
  readonly delivery_id: string | null;
  readonly status: TriggerRunStatus;
  readonly reason: string | null;
  readonly chat_id: string | null;
  /** Of a queued run. */
  readonly message: string | null;
}

export const insertTriggerRun = statement<
  Omit<NewTriggerRun, 'status'> & { status: string },
  TriggerRunRow
>(
  'insert-trigger-run',
  `INSERT INTO trigger_runs (id, trigger_id, fire_time, delivery_id, status, reason, chat_id, message, ended_at)
   VALUES (:id, :trigger_id, :fire_time, :delivery_id, :status::text, :reason, :chat_id, :message,
           CASE WHEN :status::text IN ('skipped', 'refused') THEN now() END)
   RETURNING ${COLUMNS}`,
);

export const findRunByTime = statement<{ trigger_id: string; fire_time: Date }, TriggerRunRow>(
  'find-trigger-run-by-time',
  `SELECT ${COLUMNS} FROM trigger_runs WHERE trigger_id = :trigger_id AND fire_time = :fire_time`,
);

export const findRunByDelivery = statement<
  { trigger_id: string; delivery_id: string },
  TriggerRunRow
>(
  'find-trigger-run-by-delivery',
  `SELECT ${COLUMNS} FROM trigger_runs WHERE trigger_id = :trigger_id AND delivery_id = :delivery_id`,
);

/** Runs in progress, and those that wait for them, at most :limit of each. */
export const activeRuns = statement<
  { trigger_id: string; limit: number },
  { started: boolean; queued: number }
>(
  'active-trigger-runs',
  `SELECT EXISTS (SELECT FROM trigger_runs WHERE trigger_id = :trigger_id AND status = 'started') AS started,
          (SELECT count(*) FROM (SELECT FROM trigger_runs WHERE trigger_id = :trigger_id AND status = 'queued'
                                  LIMIT :limit) AS waiting) AS queued`,
);

/** The oldest queued run, if none is in progress. */
export const nextQueuedRun = statement<{ trigger_id: string }, { id: string; message: string }>(
  'next-queued-trigger-run',
  `SELECT id, coalesce(message, '') AS message FROM trigger_runs
    WHERE trigger_id = :trigger_id AND status = 'queued'
      AND NOT EXISTS (SELECT FROM trigger_runs WHERE trigger_id = :trigger_id AND status = 'started')
    ORDER BY created_at, id
    LIMIT 1`,
);

/** `started` with a chat, or ended with a reason. */
export const leaveRunQueue = statement<
  { id: string; status: string; reason: string | null; chat_id: string | null },
  { id: string }
>(
  'leave-trigger-run-queue',
  `UPDATE trigger_runs
      SET status = :status::text, reason = :reason, chat_id = :chat_id, message = NULL,
          ended_at = CASE WHEN :status::text <> 'started' THEN now() END
    WHERE id = :id AND status = 'queued'
   RETURNING id`,
);

export const countTriggerFailure = statement<
  { trigger_id: string; reason: string },
  { counted: boolean }
>(
  'count-trigger-failure',
  `SELECT count_trigger_failures(:trigger_id, 1, :reason) IS NULL AS counted`,
);

export interface ListedTriggerRun extends TriggerRunRow {
  /** `created_at` in microseconds. */
  readonly position: number;
}

/** Newest first, through trigger_runs_by_trigger. */
export const listTriggerRuns = statement<
  {
    trigger_id: string;
    status: string | null;
    after_position: number | null;
    after_id: string | null;
    limit: number;
  },
  ListedTriggerRun
>(
  'list-trigger-runs',
  `SELECT ${COLUMNS}, (extract(epoch FROM created_at) * 1000000)::bigint AS position
     FROM trigger_runs
    WHERE trigger_id = :trigger_id AND (:status::text IS NULL OR status = :status::text)
      AND (:after_position::bigint IS NULL OR (created_at, id) < (${timeOf(':after_position')}, :after_id::uuid))
    ORDER BY created_at DESC, id DESC
    LIMIT :limit`,
);

/** The chat of a key, unless it was archived or deleted. */
export const findTriggerChat = statement<
  { trigger_id: string; key: string },
  { chat_id: string; status: ChatStatus }
>(
  'find-trigger-chat',
  `SELECT chats.id AS chat_id, chats.status
     FROM trigger_chats JOIN chats ON chats.id = trigger_chats.chat_id
    WHERE trigger_chats.trigger_id = :trigger_id AND trigger_chats.key = :key
      AND NOT chats.archived AND chats.deleted_at IS NULL`,
);

export const setTriggerChat = statement<
  { trigger_id: string; key: string; chat_id: string },
  never
>(
  'set-trigger-chat',
  `INSERT INTO trigger_chats (trigger_id, key, chat_id) VALUES (:trigger_id, :key, :chat_id)
   ON CONFLICT (trigger_id, key) DO UPDATE SET chat_id = excluded.chat_id`,
);

/** Runs that ended more than 30 days ago. */
export const purgeTriggerRuns = statement<{ limit: number }, { id: string }>(
  'purge-trigger-runs',
  `DELETE FROM trigger_runs
    WHERE id IN (SELECT id FROM trigger_runs WHERE ended_at < now() - interval '30 days'
                  ORDER BY ended_at LIMIT :limit FOR UPDATE SKIP LOCKED)
   RETURNING id`,
);
