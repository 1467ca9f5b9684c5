import { z } from 'zod';
import { Timestamp, Uuid } from '../ids.ts';
import { Flag } from '../page.ts';
import { routeWith } from '../route.ts';
import { Spend } from '../spend.ts';
import { UsageGroup, UsageReport } from '../usage-report.ts';

const route = routeWith('Usage');

export const usageRoutes = {
  getUsage: route({
    method: 'get',
    path: '/usage',
    summary: 'Get tokens, cost and runtime for a time range',
    description:
      'Every model call counts with its tokens, cost and runtime, including calls for summaries and titles. The runtime of tools counts for the model that called them. With `Accept: text/csv`, returns one line per group.',
    scope: 'read',
    query: z.strictObject({
      from: Timestamp.optional().meta({
        description: 'Start of the range, inclusive. Default: 30 days before `to`.',
        examples: ['2026-11-01T00:00:00Z'],
      }),
      to: Timestamp.optional().meta({
        description: 'End of the range, exclusive. Default: now.',
        examples: ['2026-12-01T00:00:00Z'],
      }),
      group_by: UsageGroup.default('day').describe('Grouping of the report.'),
      all: Flag.optional().describe('Includes all users, for admins. Logged.'),
    }),
    answers: { 200: UsageReport },
    csv: true,
    refusals: ['invalid_query', 'admin_required'],
    audit: { action: 'usage.read_all', onlyWith: 'all' },
  }),
  getMySpend: route({
    method: 'get',
    path: '/users/me/spend',
    summary: 'Get your spending of this month',
    description:
      'Checked before every model call. At the limit, turns fail with an error of kind `spend_limit`.',
    scope: 'read',
    answers: { 200: Spend },
  }),
  getSpend: route({
    method: 'get',
    path: '/users/{user_id}/spend',
    summary: 'Get the spending of a user in this month',
    description: 'Every access is logged.',
    scope: 'admin',
    params: z.strictObject({ user_id: Uuid.describe('ID of the user.') }),
    answers: { 200: Spend },
    audit: { action: 'user.read_spend' },
  }),
};
