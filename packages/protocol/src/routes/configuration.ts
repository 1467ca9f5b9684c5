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
    description: 'With their defaults for what nobody has set.',
    scope: 'admin',
    answers: { 200: Settings },
    refusals: [],
  }),
  updateSettings: route({
    method: 'patch',
    path: '/settings',
    tag,
    summary: 'Change settings of the deployment',
    description:
      'What is left out stays as it is: two admins who change different settings do not undo each other. Other servers follow within seconds.',
    scope: 'admin',
    body: z.strictObject(Settings.partial().shape).meta({ examples: [{ subagent_depth: 1 }] }),
    answers: { 200: Settings },
    refusals: [],
  }),
};
