import type { AuditEvent } from '@chatd/protocol';
import { Refused } from '../../../chat/refused.ts';
import {
  type AuditEventRow,
  type AuditFilter,
  exportAuditEvents,
  listAuditEvents,
} from '../../../store/queries/audit-events.ts';
import type { HandlersOf } from '../../call.ts';
import { attachment } from '../../headers.ts';
import { decodeCursor, IdCursor, page } from '../../request/cursor.ts';

const MAX_EXPORTED = 50_000;

export const auditEventHandlers = (): HandlersOf<'Audit log'> => ({
  async listAuditEvents({ query: { limit, cursor, ...filter }, db }) {
    const before_id = decodeCursor(IdCursor, cursor)?.id ?? null;
    const found = await db.query(listAuditEvents, {
      ...filterOf(filter),
      before_id,
      limit: limit + 1,
    });
    const { rows, next_cursor } = page(found, limit, ({ id }) => ({ id }));
    return { status: 200, body: { audit_events: rows.map(presentAuditEvent), next_cursor } };
  },

  async exportAuditEvents({ query, db }) {
    const limit = MAX_EXPORTED + 1;
    const rows = await db.query(exportAuditEvents, { ...filterOf(query), limit });
    if (rows.length === limit) {
      throw new Refused(
        'too_many_events',
        `More than ${MAX_EXPORTED} events match. Set since and until, and export them in parts.`,
      );
    }
    const content = rows.map((row) => `${JSON.stringify(presentAuditEvent(row))}\n`).join('');
    const headers = { 'content-disposition': attachment('audit-events.jsonl') };
    return { status: 200, media: 'application/jsonl', content, headers };
  },
});

interface Filters {
  readonly actor_id?: string | undefined;
  readonly action?: string | undefined;
  readonly target_id?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

const filterOf = ({ actor_id, action, target_id, since, until }: Filters): AuditFilter => ({
  actor_id: actor_id ?? null,
  action: action ?? null,
  target_id: target_id ?? null,
  since: since === undefined ? null : new Date(since),
  until: until === undefined ? null : new Date(until),
});

const presentAuditEvent = (row: AuditEventRow): AuditEvent => ({
  ...row,
  at: row.at.toISOString(),
});
