import { z } from 'zod';
import { route } from '../route.ts';
import { Settings } from '../settings.ts';

const tag = 'Configuration';

export const configurationRoutes = {
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
};
