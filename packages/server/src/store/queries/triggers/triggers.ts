import type {
  MissedRuns,
  TriggerChat,
  TriggerConcurrency,
  TriggerKind,
  WebhookVerification,
} from '@chatd/protocol';
import { TRIGGER_LOCKS } from '../../../postgres/advisory-locks.ts';
import type { JsonText } from '../../json.ts';
import { statement } from '../../statement.ts';

export interface TriggerRow {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly kind: TriggerKind;
  readonly enabled: boolean;
  readonly disabled_reason: string | null;
  readonly cron: string | null;
  readonly timezone: string | null;
  readonly missed: MissedRuns | null;
  readonly next_fire_at: Date | null;
  readonly verification: WebhookVerification | null;
  /** Sealed. */
  readonly secrets: string | null;
  readonly prompt: string;
  readonly chat: TriggerChat;
  readonly concurrency: TriggerConcurrency;
  readonly max_failures: number | null;
  readonly failures: number;
  readonly spend_limit_micros: number | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A trigger with the clock of the database. */
export type TimedTrigger = TriggerRow & {
  readonly now: Date;
  readonly owner_suspended: boolean;
};

const columns = [
  'id',
  'owner_id',
  'name',
  'kind',
  'enabled',
  'disabled_reason',
  'cron',
  'timezone',
  'missed',
  'next_fire_at',
  'verification',
  'secrets',
  'prompt',
  'chat',
  'concurrency',
  'max_failures',
  'failures',
  'spend_limit_micros',
  'created_at',
  'updated_at',
];
const COLUMNS = columns.map((column) => `triggers.${column}`).join(', ');

/** The context that a ciphertext is bound to. */
export const triggerSecretsOf = (id: string): string => `triggers/${id}`;

/** Null `owner_id`: of all users. */
export const listTriggers = statement<
  { owner_id: string | null; after_id: string | null; limit: number },
  TriggerRow
>(
  'list-triggers',
  `SELECT ${COLUMNS} FROM triggers
    WHERE (:owner_id::uuid IS NULL OR owner_id = :owner_id) AND (:after_id::uuid IS NULL OR id > :after_id)
    ORDER BY id
    LIMIT :limit`,
);

export const findTrigger = statement<{ id: string }, TriggerRow>(
  'find-trigger',
  `SELECT ${COLUMNS} FROM triggers WHERE id = :id`,
);

export const findOwnTrigger = statement<{ id: string; owner_id: string }, TriggerRow>(
  'find-own-trigger',
  `SELECT ${COLUMNS} FROM triggers WHERE id = :id AND owner_id = :owner_id`,
);

export const listSealedTriggers = statement<null, { id: string; secrets: string | null }>(
  'list-sealed-triggers',
  `SELECT id, secrets FROM triggers`,
);

export const resealTrigger = statement<{ id: string; before: string; after: string }, never>(
  'reseal-trigger',
  `UPDATE triggers SET secrets = :after WHERE id = :id AND secrets = :before`,
);

export const countTriggers = statement<{ user_id: string }, { count: number }>(
  'count-triggers',
  `SELECT count(*) AS count FROM triggers WHERE owner_id = :user_id`,
);

type TriggerParams = Omit<
  TriggerRow,
  'chat' | 'created_at' | 'updated_at' | 'next_fire_at' | 'missed' | 'kind' | 'concurrency'
> & {
  chat: JsonText;
  kind: string;
  missed: string | null;
  verification: string | null;
  concurrency: string;
  next_fire_at: Date | null;
};

/** No row: the name is taken. */
export const insertTrigger = statement<TriggerParams, TriggerRow>(
  'insert-trigger',
  `INSERT INTO triggers (id, owner_id, name, kind, enabled, disabled_reason, cron, timezone, missed, next_fire_at,
                         verification, secrets, prompt, chat, concurrency, max_failures, failures, spend_limit_micros)
   VALUES (:id, :owner_id, :name, :kind, :enabled, :disabled_reason, :cron, :timezone, :missed, :next_fire_at,
           :verification, :secrets, :prompt, :chat, :concurrency, :max_failures, :failures, :spend_limit_micros)
   ON CONFLICT (owner_id, name) DO NOTHING
   RETURNING ${COLUMNS}`,
);

/** No row: the name is taken. */
export const updateTrigger = statement<Omit<TriggerParams, 'owner_id' | 'kind'>, TriggerRow>(
  'update-trigger',
  `UPDATE triggers
      SET name = :name, enabled = :enabled, disabled_reason = :disabled_reason, cron = :cron, timezone = :timezone,
          missed = :missed, next_fire_at = :next_fire_at, verification = :verification, secrets = :secrets,
          prompt = :prompt, chat = :chat, concurrency = :concurrency, max_failures = :max_failures,
          failures = :failures, spend_limit_micros = :spend_limit_micros, updated_at = now()
    WHERE id = :id
      AND NOT EXISTS (SELECT FROM triggers AS other
                       WHERE other.owner_id = triggers.owner_id AND other.name = :name AND other.id <> :id)
   RETURNING ${COLUMNS}`,
);

/** Locks the row, which a turn that ends does after its chat and its runs. */
export const lockTriggerRow = statement<{ id: string }, TriggerRow & { now: Date }>(
  'lock-trigger-row',
  `SELECT ${COLUMNS}, now() AS now FROM triggers WHERE id = :id FOR UPDATE`,
);

/** In the order in which a turn that ends locks them. */
export const deleteRunsOfTrigger = statement<{ trigger_id: string }, never>(
  'delete-runs-of-trigger',
  `DELETE FROM trigger_runs WHERE trigger_id = :trigger_id`,
);

/** Its approval rules are kept for its chats. */
export const deleteTrigger = statement<{ id: string }, { id: string }>(
  'delete-trigger',
  `WITH kept AS (
     INSERT INTO deleted_trigger_approvals (trigger_id, rules)
     SELECT id, chat -> 'approvals' FROM triggers
      WHERE id = :id AND chat ? 'approvals' AND EXISTS (SELECT FROM chats WHERE chats.trigger_id = triggers.id)
   )
   DELETE FROM triggers WHERE id = :id RETURNING id`,
);

/** Rules without a chat that they apply to. */
export const purgeTriggerApprovals = statement<{ limit: number }, { trigger_id: string }>(
  'purge-trigger-approvals',
  `DELETE FROM deleted_trigger_approvals
    WHERE trigger_id IN (SELECT trigger_id FROM deleted_trigger_approvals AS kept
                          WHERE NOT EXISTS (SELECT FROM chats WHERE chats.trigger_id = kept.trigger_id)
                          LIMIT :limit FOR UPDATE SKIP LOCKED)
   RETURNING trigger_id`,
);

/**
 * Serializes the runs of a trigger. Not a lock of its row: a run starts before it locks its chat, and a turn that ends
 * locks the trigger after its chat.
 */
export const lockTrigger = statement<{ id: string }, never>(
  'lock-trigger',
  `SELECT pg_advisory_xact_lock(${TRIGGER_LOCKS}, hashtext(:id::text))`,
);

export const tryLockTrigger = statement<{ id: string }, { locked: boolean }>(
  'try-lock-trigger',
  `SELECT pg_try_advisory_xact_lock(${TRIGGER_LOCKS}, hashtext(:id::text)) AS locked`,
);

/** In its own statement after the lock, so that it sees the last committed run. */
export const readTrigger = statement<{ id: string }, TimedTrigger>(
  'read-trigger',
  `SELECT ${COLUMNS}, now() AS now, users.suspended_at IS NOT NULL AS owner_suspended
     FROM triggers JOIN users ON users.id = triggers.owner_id
    WHERE triggers.id = :id`,
);

/** Unless the schedule was changed meanwhile. */
export const setNextTime = statement<{ id: string; before: Date; next: Date | null }, never>(
  'set-next-time',
  `UPDATE triggers SET next_fire_at = :next WHERE id = :id AND next_fire_at = :before`,
);

export interface DueTriggers {
  readonly due: readonly string[];
  /** The owners of `due`, in the same order. */
  readonly owners: readonly string[];
  /** Triggers with a queued run and no started one. */
  readonly free: readonly string[];
  readonly has_queued: boolean;
  /** Until the next time of a schedule. Null: there is none. */
  readonly wait_ms: number | null;
}

const DUE = `FROM triggers WHERE next_fire_at <= now() AND owner_id <> ALL (:overdrawn::uuid[])
                 ORDER BY next_fire_at, id LIMIT :limit`;

/**
 * All that there is to do, by the clock of the database, through triggers_due and trigger_runs_queued. Not the schedules of
 * owners whose budget is overdrawn.
 */
export const dueTriggers = statement<{ limit: number; overdrawn: readonly string[] }, DueTriggers>(
  'due-triggers',
  `SELECT ARRAY(SELECT id ${DUE}) AS due,
          ARRAY(SELECT owner_id ${DUE}) AS owners,
          ARRAY(SELECT DISTINCT queued.trigger_id FROM trigger_runs AS queued
                 WHERE queued.status = 'queued'
                   AND NOT EXISTS (SELECT FROM trigger_runs AS started
                                    WHERE started.trigger_id = queued.trigger_id AND started.status = 'started')
                 LIMIT :limit) AS free,
          EXISTS (SELECT FROM trigger_runs WHERE status = 'queued') AS has_queued,
          (SELECT ceil(extract(epoch FROM next_fire_at - now()) * 1000)::bigint
             FROM triggers WHERE next_fire_at > now() ORDER BY next_fire_at LIMIT 1) AS wait_ms`,
);

/** The cost of all chats of a trigger in the current month, through chats_by_trigger and model_calls_by_family. */
export const triggerSpend = statement<{ trigger_id: string }, { spent_micros: number }>(
  'trigger-spend',
  `SELECT coalesce(sum(cost_micros), 0)::bigint AS spent_micros
     FROM model_calls
    WHERE root_chat_id IN (SELECT id FROM chats WHERE trigger_id = :trigger_id)
      AND created_at >= date_trunc('month', now(), 'UTC')`,
);
