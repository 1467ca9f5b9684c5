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
    description:
      'Every model call is recorded with its tokens, cost and runtime, including calls for summaries and titles. The runtime of tools is recorded for the model that called them.',
    scope: 'read',
    query: z.strictObject({
      from: Timestamp.optional().meta({
        description: 'Calls from then on. 30 days before `to` unless given.',
        examples: ['2026-11-01T00:00:00Z'],
      }),
      to: Timestamp.optional().meta({
        description: 'Calls before then. Now unless given.',
        examples: ['2026-12-01T00:00:00Z'],
      }),
      group_by: UsageGroup.default('day').describe('By what calls are added up.'),
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
    description:
      'It is looked at before each model call; at the limit, turns end with an error of the kind `spend_limit`.',
    scope: 'read',
    answers: { 200: Spend },
    refusals: [],
  }),
  getSpend: route({
    method: 'get',
    path: '/users/{user_id}/spend',
    tag,
    summary: 'What a user has spent this month, and what is left of the limit',
    description: 'Every such look is logged.',
    scope: 'admin',
    params: z.strictObject({ user_id: Uuid.describe('The user.') }),
    answers: { 200: Spend },
    refusals: [],
  }),
};
