import type { JsonObject } from '@chatd/protocol';
import { statement } from '../../statement.ts';

export type DeliveryKind = 'webhook' | 'push';
export type DeliveryState = 'pending' | 'delivered' | 'dead';

/** An attempt that this process may make until its lease ends. */
export interface ClaimedDelivery {
  readonly id: number;
  readonly kind: DeliveryKind;
  readonly target_id: string;
  readonly event: string;
  readonly payload: JsonObject;
  readonly created_at: Date;
  /** Including this one. Its result is recorded only if no other attempt has begun. */
  readonly attempts: number;
}

/**
 * Claims the oldest pending event of each subject, up to `per_target` of each target. Reads the targets with pending events
 * one by one through outbox_due, and skips those that are blocked. An event is pending until its result is recorded, so the
 * later ones of its subject wait, on all replicas.
 */
export const claimDeliveries = statement<
  { busy: readonly string[]; per_target: number; limit: number; lease_ms: number },
  ClaimedDelivery
>(
  'claim-deliveries',
  `WITH RECURSIVE targets AS (
     (SELECT target_id FROM outbox WHERE state = 'pending' ORDER BY target_id LIMIT 1)
     UNION ALL
     SELECT (SELECT outbox.target_id FROM outbox
              WHERE outbox.state = 'pending' AND outbox.target_id > targets.target_id
              ORDER BY outbox.target_id LIMIT 1)
       FROM targets WHERE targets.target_id IS NOT NULL
   ), due AS (
     SELECT first.id
       FROM targets
       LEFT JOIN failing_targets ON failing_targets.target_id = targets.target_id
      CROSS JOIN LATERAL (
        SELECT outbox.id FROM outbox
         WHERE outbox.target_id = targets.target_id AND outbox.state = 'pending' AND outbox.due_at <= now()
           AND NOT EXISTS (SELECT FROM outbox AS earlier
                            WHERE earlier.target_id = outbox.target_id AND earlier.subject_id = outbox.subject_id
                              AND earlier.state = 'pending' AND earlier.id < outbox.id)
         ORDER BY outbox.due_at, outbox.id
         LIMIT :per_target) AS first
      WHERE targets.target_id <> ALL (:busy::uuid[])
        AND coalesce(failing_targets.blocked_until <= now(), true)
      LIMIT :limit
   ), claimed AS (
     SELECT id FROM outbox
      WHERE id IN (SELECT id FROM due) AND state = 'pending' AND due_at <= now()
        FOR UPDATE SKIP LOCKED
   )
   UPDATE outbox
      SET due_at = now() + make_interval(secs => :lease_ms::integer / 1000.0), attempts = attempts + 1,
          last_attempt_at = now()
     FROM claimed
    WHERE outbox.id = claimed.id
   RETURNING outbox.id, outbox.kind, outbox.target_id, outbox.event, outbox.payload, outbox.created_at, outbox.attempts`,
);

/** Whether an event could have a target. */
export const hasTargets = statement<null, { exists: boolean }>(
  'has-targets',
  `SELECT EXISTS (SELECT FROM webhooks WHERE enabled) OR EXISTS (SELECT FROM push_subscriptions) AS exists`,
);

/** Of the attempt with this number. */
interface Attempt {
  readonly id: number;
  readonly attempts: number;
}

export const recordDelivered = statement<Attempt & { status: number }, never>(
  'record-delivered',
  `WITH delivered AS (
     UPDATE outbox SET state = 'delivered', finished_at = now(), last_status = :status, last_error = NULL
      WHERE id = :id AND attempts = :attempts AND state = 'pending'
     RETURNING target_id
   )
   DELETE FROM failing_targets WHERE target_id IN (SELECT target_id FROM delivered)`,
);

/**
 * Schedules the next attempt, at the latest when the event expires; after that, the event is a dead letter. The later
 * events of the subject get the same time. From 5 failures in a row on, the target is blocked for a time. Failures of
 * attempts that were in flight meanwhile do not count: they would block it for longer than it was down.
 */
export const recordFailed = statement<
  Attempt & {
    status: number | null;
    error: string;
    delay_ms: number;
    /** How long the target is blocked after 5 failures; doubled with each one. */
    block_ms: number;
    final: boolean;
  },
  { state: DeliveryState }
>(
  'record-failed',
  `WITH failed AS (
     UPDATE outbox
        SET state = CASE WHEN :final::boolean OR now() >= expires_at THEN 'dead' ELSE 'pending' END,
            finished_at = CASE WHEN :final OR now() >= expires_at THEN now() END,
            due_at = least(now() + make_interval(secs => :delay_ms::integer / 1000.0), greatest(expires_at, now())),
            last_status = :status, last_error = :error
      WHERE id = :id AND attempts = :attempts AND state = 'pending'
     RETURNING id, target_id, subject_id, state, due_at
   ), later AS (
     UPDATE outbox SET due_at = failed.due_at
       FROM failed
      WHERE failed.state = 'pending' AND outbox.target_id = failed.target_id AND outbox.subject_id = failed.subject_id
        AND outbox.state = 'pending' AND outbox.id > failed.id
   ), counted AS (
     INSERT INTO failing_targets (target_id, failures, blocked_until)
     SELECT target_id, 1, now() FROM failed
     ON CONFLICT (target_id) DO UPDATE
       SET failures = least(failing_targets.failures + 1, 1000),
           blocked_until = CASE WHEN failing_targets.failures < 4 THEN now()
             ELSE now() + make_interval(secs => least(2 ^ least(failing_targets.failures - 4, 8), 256)
                                                 * :block_ms::integer / 1000.0) END
       WHERE failing_targets.blocked_until <= now()
   )
   SELECT state FROM failed`,
);

/** An attempt that this process gave up without a result: another replica makes it. */
export const releaseDelivery = statement<Attempt, never>(
  'release-delivery',
  `UPDATE outbox SET due_at = now(), attempts = attempts - 1 WHERE id = :id AND attempts = :attempts AND state = 'pending'`,
);

/** Of a target that no longer exists, and of notifications, which nobody lists. */
export const deleteDelivery = statement<{ id: number }, never>(
  'delete-delivery',
  `DELETE FROM outbox WHERE id = :id`,
);

export interface DeliveryRow {
  readonly id: number;
  readonly target_id: string;
  readonly event: string;
  readonly payload: JsonObject;
  readonly state: DeliveryState;
  readonly created_at: Date;
  readonly due_at: Date;
  readonly attempts: number;
  readonly last_attempt_at: Date | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly finished_at: Date | null;
}

const DELIVERY_COLUMNS = `id, target_id, event, payload, state, created_at, due_at, attempts, last_attempt_at, last_status,
  last_error, finished_at`;

/** Newest first, through outbox_by_target. */
export const listDeliveries = statement<
  { webhook_id: string; state: DeliveryState | null; before_id: number | null; limit: number },
  DeliveryRow
>(
  'list-deliveries',
  `SELECT ${DELIVERY_COLUMNS}
     FROM outbox
    WHERE target_id = :webhook_id AND (:state::text IS NULL OR state = :state)
      AND (:before_id::bigint IS NULL OR id < :before_id)
    ORDER BY id DESC
    LIMIT :limit`,
);

const UNBLOCKED = `unblocked AS (DELETE FROM failing_targets WHERE target_id = :webhook_id)`;
const PENDING_AGAIN = `state = 'pending', due_at = now(), expires_at = now() + interval '24 hours', finished_at = NULL,
          attempts = 0`;

/** Delivers an event again. A pending event stays as it is. */
export const redeliver = statement<{ webhook_id: string; id: number }, DeliveryRow>(
  'redeliver',
  `WITH ${UNBLOCKED}
   UPDATE outbox SET ${PENDING_AGAIN}
    WHERE id = :id AND target_id = :webhook_id AND state <> 'pending'
   RETURNING ${DELIVERY_COLUMNS}`,
);

/** Delivers all dead letters again. There may be many: only their number is read. */
export const redeliverDead = statement<{ webhook_id: string }, { count: number }>(
  'redeliver-dead',
  `WITH ${UNBLOCKED}, again AS (
     UPDATE outbox SET ${PENDING_AGAIN} WHERE target_id = :webhook_id AND state = 'dead' RETURNING id
   )
   SELECT count(*) AS count FROM again`,
);

export const findDelivery = statement<{ webhook_id: string; id: number }, DeliveryRow>(
  'find-delivery',
  `SELECT ${DELIVERY_COLUMNS} FROM outbox WHERE id = :id AND target_id = :webhook_id`,
);

/** Delivered events are listed for 7 days, dead letters for 30. */
export const purgeDeliveries = statement<{ limit: number }, { id: number }>(
  'purge-deliveries',
  `DELETE FROM outbox
    WHERE id IN (SELECT id FROM outbox
                  WHERE finished_at < now() - interval '7 days'
                    AND finished_at < now() - CASE state WHEN 'dead' THEN interval '30 days' ELSE interval '7 days' END
                  ORDER BY finished_at LIMIT :limit FOR UPDATE SKIP LOCKED)
   RETURNING id`,
);

/** Events whose target was deleted while they were written. Reads the targets one by one through outbox_by_target. */
export const purgeOrphanedDeliveries = statement<{ limit: number }, { id: number }>(
  'purge-orphaned-deliveries',
  `WITH RECURSIVE targets AS (
     (SELECT target_id FROM outbox ORDER BY target_id LIMIT 1)
     UNION ALL
     SELECT (SELECT outbox.target_id FROM outbox
              WHERE outbox.target_id > targets.target_id ORDER BY outbox.target_id LIMIT 1)
       FROM targets WHERE targets.target_id IS NOT NULL
   )
   DELETE FROM outbox
    WHERE id IN (SELECT outbox.id FROM targets JOIN outbox USING (target_id)
                  WHERE NOT EXISTS (SELECT FROM webhooks WHERE webhooks.id = targets.target_id)
                    AND NOT EXISTS (SELECT FROM push_subscriptions WHERE push_subscriptions.id = targets.target_id)
                  LIMIT :limit)
   RETURNING id`,
);

export const purgeFailingTargets = statement<{ limit: number }, { target_id: string }>(
  'purge-failing-targets',
  `DELETE FROM failing_targets
    WHERE target_id IN (SELECT target_id FROM failing_targets
                         WHERE blocked_until < now() - interval '2 days' LIMIT :limit FOR UPDATE SKIP LOCKED)
   RETURNING target_id`,
);
