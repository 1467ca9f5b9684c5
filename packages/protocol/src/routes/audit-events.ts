import { z } from 'zod';
import { AuditEvent } from '../audit-event.ts';
import { Timestamp, Uuid } from '../ids.ts';
import { Cursor, Limit, NextCursor } from '../page.ts';
import { media, routeWith } from '../route.ts';

const route = routeWith('Audit log');

const filters = {
  actor_id: Uuid.optional().describe('Only actions of this user.'),
  action: z
    .string()
    .max(64)
    .regex(/^[a-z_]+\.(?:[a-z_]+)?$/, 'must be TARGET.VERB or TARGET.')
    .optional()
    .meta({
      description: 'Only this action. `user.` matches all actions on users.',
      examples: ['user.update'],
    }),
  target_id: z.string().max(64).optional().describe('Only actions on this target.'),
  since: Timestamp.optional().describe('Only actions at or after this time.'),
  until: Timestamp.optional().describe('Only actions before this time.'),
};

export const auditEventRoutes = {
  listAuditEvents: route({
    method: 'get',
    path: '/audit-events',
    summary: 'List audit events',
    description: 'Newest first. Requires the role `auditor`, or an admin with the scope `admin`.',
    scope: 'read',
    role: 'auditor',
    query: z.strictObject({ ...filters, limit: Limit, cursor: Cursor }),
    answers: {
      200: z.object({
        audit_events: z.array(AuditEvent).describe('One page of events.'),
        next_cursor: NextCursor,
      }),
    },
    refusals: ['invalid_query', 'invalid_cursor', 'admin_required'],
  }),
  exportAuditEvents: route({
    method: 'get',
    path: '/audit-events/export',
    summary: 'Export audit events as JSON Lines',
    description:
      'Oldest first, one event per line. An export is limited to 50,000 events: use `since` and `until` to export more in parts. The export is recorded, too.',
    scope: 'read',
    role: 'auditor',
    query: z.strictObject(filters),
    answers: { 200: media('application/jsonl') },
    refusals: ['invalid_query', 'admin_required', 'too_many_events'],
    audit: { action: 'audit_log.export' },
  }),
};
