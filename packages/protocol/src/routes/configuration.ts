import { z } from 'zod';
import { Timestamp } from '../ids.ts';
import { ModelConfig } from '../model-config.ts';
import { Flag } from '../page.ts';
import { route } from '../route.ts';
import { Settings } from '../settings.ts';
import { UsageGroup, UsageReport } from '../usage-report.ts';

const tag = 'Configuration';

export const configurationRoutes = {
  listModelConfigs: route({
    method: 'get',
    path: '/model-configs',
    tag,
    summary: 'List the models that chats can use',
    scope: 'read',
    answers: { 200: z.object({ model_configs: z.array(ModelConfig) }) },
    refusals: [],
  }),
  getSettings: route({
    method: 'get',
    path: '/settings',
    tag,
    summary: 'Read the settings of the deployment',
    scope: 'admin',
    answers: { 200: Settings },
    refusals: [],
  }),
  updateSettings: route({
    method: 'patch',
    path: '/settings',
    tag,
    summary: 'Change settings of the deployment',
    scope: 'admin',
    body: z.strictObject(Settings.partial().shape),
    answers: { 200: Settings },
    refusals: [],
  }),
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
};
