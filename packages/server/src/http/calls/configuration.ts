import { changeSettings, loadSettings } from '../../store/settings.ts';
import type { CallsOf } from '../call.ts';
import type { Services } from '../services.ts';

export const configurationCalls = ({ settings }: Services): CallsOf<'Configuration'> => ({
  getSettings: async ({ db }) => ({ status: 200, body: await loadSettings(db) }),

  async updateSettings({ body, db }) {
    const changed = await changeSettings(db, body);
    settings.forget();
    return { status: 200, body: changed };
  },
});
