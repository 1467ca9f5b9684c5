import { changeSettings, loadSettings } from '../../store/settings.ts';
import type { CallsOf } from '../call.ts';

export const configurationCalls = (): CallsOf<'Configuration'> => ({
  getSettings: async ({ db }) => ({ status: 200, body: await loadSettings(db) }),

  updateSettings: async ({ body, db }) => ({
    status: 200,
    body: await changeSettings(db, body),
  }),
});
