import type { AuditActorKind, AuditedAction, JsonObject } from '@chatd/protocol';
import { toJson } from '../store/json.ts';
import { insertAuditEvent } from '../store/queries/audit-events.ts';
import type { Queryable } from '../store/statement.ts';
import { uuidv7 } from '../store/uuid.ts';
import type { Caller } from './caller.ts';

export interface Actor {
  readonly kind: AuditActorKind;
  readonly id?: string;
  readonly name?: string;
  readonly tokenId?: string | null;
  /** The address of the client. */
  readonly ip?: string;
}

interface Audited {
  readonly action: AuditedAction['action'];
  readonly targetId?: string | null;
  readonly detail?: JsonObject;
}

export const actorOf = (caller: Caller | null, ip: string): Actor =>
  caller === null
    ? { kind: 'anonymous', ip }
    : { kind: 'user', id: caller.user.id, name: caller.user.username, tokenId: caller.tokenId, ip };

/** Records an action, in the transaction of the change if there is one. */
export async function writeAuditEvent(
  db: Queryable,
  { kind, id, name, tokenId, ip }: Actor,
  { action, targetId, detail = {} }: Audited,
): Promise<void> {
  await db.query(insertAuditEvent, {
    id: uuidv7(),
    actor_kind: kind,
    actor_id: id ?? null,
    actor_name: name ?? null,
    token_id: tokenId ?? null,
    ip: ip ?? null,
    action,
    target_id: targetId ?? null,
    detail: toJson(detail),
  });
}

/** What a request changes: values that cannot be secrets, and the names of all other fields. */
export function auditDetail(body: unknown, values: readonly string[] = []): JsonObject {
  const detail: JsonObject = {};
  const changed: string[] = [];
  for (const [name, value] of Object.entries(body ?? {})) {
    if (value === undefined) continue;
    const isPlain = value === null || typeof value === 'number' || typeof value === 'boolean';
    if (isPlain || values.includes(name)) detail[name] = value as JsonObject[string];
    else changed.push(name);
  }
  return changed.length === 0 ? detail : { ...detail, changed };
}
