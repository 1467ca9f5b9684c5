import { z } from 'zod';
import { Timestamp, Uuid } from '../ids.ts';
import { Flag } from '../page.ts';
import { route } from '../route.ts';
import { Spend } from '../spend.ts';
import { UsageGroup, UsageReport } from '../usage-report.ts';

const tag = 'Usage';

export const usageRoutes = {
  getUsage: route({
    method: 'get',
    path: '/usage',
    tag,
    summary: 'Tokens, cost and runtime over a range of time',
    scope: 'read',
    query: z.strictObject({
      from: Timestamp.optional(),
      to: Timestamp.optional(),
      group_by: UsageGroup.default('day'),
      all: Flag.optional().describe('As an admin: of all users. Every such look is logged.'),
    }),
    answers: { 200: UsageReport },
    refusals: ['invalid_query', 'admin_required'],
  }),
  getMySpend: route({
    method: 'get',
    path: '/users/me/spend',
    tag,
    summary: 'What you have spent this month, and what is left of your limit',
    scope: 'read',
    answers: { 200: Spend },
    refusals: [],
  }),
  getSpend: route({
    method: 'get',
    path: '/users/{user_id}/spend',
    tag,
    summary: 'What a user has spent this month, and what is left of the limit',
    scope: 'admin',
    params: z.strictObject({ user_id: Uuid }),
    answers: { 200: Spend },
    refusals: [],
  }),
};
