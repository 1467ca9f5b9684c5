import type { AuditActorKind, JsonObject } from '@chatd/protocol';
import type { JsonText } from '../json.ts';
import { statement } from '../statement.ts';

export interface AuditEventRow {
  readonly id: string;
  readonly at: Date;
  readonly actor_kind: AuditActorKind;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly token_id: string | null;
  readonly ip: string | null;
  readonly action: string;
  readonly target_kind: string;
  readonly target_id: string | null;
  readonly detail: JsonObject;
}

export interface AuditFilter {
  readonly actor_id: string | null;
  /** An action, or the kind of target and a dot. */
  readonly action: string | null;
  readonly target_id: string | null;
  readonly since: Date | null;
  readonly until: Date | null;
}

const FILTER = `(:actor_id::uuid IS NULL OR actor_id = :actor_id)
      AND (:action::text IS NULL OR action = :action OR (:action LIKE '%.' AND starts_with(action, :action)))
      AND (:target_id::text IS NULL OR target_id = :target_id)
      AND (:since::timestamptz IS NULL OR at >= :since)
      AND (:until::timestamptz IS NULL OR at < :until)`;

export const insertAuditEvent = statement<
  Omit<AuditEventRow, 'at' | 'target_kind' | 'detail'> & { detail: JsonText },
  never
>(
  'insert-audit-event',
  `INSERT INTO audit_events (id, actor_kind, actor_id, actor_name, token_id, ip, action, target_kind, target_id, detail)
   VALUES (:id, :actor_kind, :actor_id, :actor_name, :token_id, :ip, :action, split_part(:action, '.', 1), :target_id,
           :detail)`,
);

/** Newest first. */
export const listAuditEvents = statement<
  AuditFilter & { before_id: string | null; limit: number },
  AuditEventRow
>(
  'list-audit-events',
  `SELECT id, at, actor_kind, actor_id, actor_name, token_id, ip, action, target_kind, target_id, detail
     FROM audit_events
    WHERE ${FILTER}
      AND (:before_id::uuid IS NULL OR id < :before_id)
    ORDER BY id DESC
    LIMIT :limit`,
);

/** Oldest first. */
export const exportAuditEvents = statement<AuditFilter & { limit: number }, AuditEventRow>(
  'export-audit-events',
  `SELECT id, at, actor_kind, actor_id, actor_name, token_id, ip, action, target_kind, target_id, detail
     FROM audit_events
    WHERE ${FILTER}
    ORDER BY id
    LIMIT :limit`,
);

export const purgeAuditEvents = statement<{ days: number; limit: number }, { id: string }>(
  'purge-audit-events',
  `DELETE FROM audit_events
    WHERE id IN (SELECT id FROM audit_events
                  WHERE at < now() - make_interval(days => :days) ORDER BY at LIMIT :limit FOR UPDATE SKIP LOCKED)
   RETURNING id`,
);
