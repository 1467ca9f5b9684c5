import { changeSettings, loadSettings } from '../../store/settings.ts';
import { afterCommit } from '../after-commit.ts';
import type { HandlersOf } from '../call.ts';
import type { Services } from '../services.ts';

export const configurationHandlers = ({ settings }: Services): HandlersOf<'Configuration'> => ({
  getSettings: async ({ db }) => ({ status: 200, body: await loadSettings(db) }),

  async updateSettings({ body, db, tx }) {
    const changed = await changeSettings(db, body);
    afterCommit(tx, () => settings.forget());
    return { status: 200, body: changed };
  },
});
