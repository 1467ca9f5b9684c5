import { z } from 'zod';
import { routeWith } from '../route.ts';
import { Settings } from '../settings.ts';

const route = routeWith('Configuration');

export const configurationRoutes = {
  getSettings: route({
    method: 'get',
    path: '/settings',
    summary: 'Get the settings of the deployment',
    description: 'Includes default values.',
    scope: 'admin',
    answers: { 200: Settings },
  }),
  updateSettings: route({
    method: 'patch',
    path: '/settings',
    summary: 'Change settings of the deployment',
    description:
      'Omitted settings do not change, so admins can change different settings concurrently. Changes take effect on all servers within seconds.',
    scope: 'admin',
    body: z.strictObject(Settings.partial().shape).meta({ examples: [{ subagent_depth: 1 }] }),
    answers: { 200: Settings },
    audit: { action: 'settings.update' },
  }),
};
