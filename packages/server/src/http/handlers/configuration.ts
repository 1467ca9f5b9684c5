import { updateSettings } from '../../entities/settings/commands.ts';
import { loadSettings } from '../../store/settings.ts';
import type { HandlersOf } from '../call.ts';
import type { Services } from '../services.ts';

export const configurationHandlers = ({ settings }: Services): HandlersOf<'Configuration'> => ({
  getSettings: async ({ db }) => ({ status: 200, body: await loadSettings(db) }),

  updateSettings: async ({ body, tx }) => ({
    status: 200,
    body: await updateSettings(settings, body, tx),
  }),
});
