import { isAdmin } from '../../auth/caller.ts';
import { listModelConfigs } from '../../store/queries/list-model-configs.ts';
import { changeSettings, loadSettings } from '../../store/settings.ts';
import type { CallsOf } from '../call.ts';
import { presentModelConfig } from '../present/model-config.ts';

export const configurationCalls = (): CallsOf<'Configuration'> => ({
  async listModelConfigs({ caller, db }) {
    const forAdmin = isAdmin(caller);
    const rows = await db.query(listModelConfigs);
    const shown = forAdmin ? rows : rows.filter(({ usable }) => usable);
    return {
      status: 200,
      body: { model_configs: shown.map((row) => presentModelConfig(row, forAdmin)) },
    };
  },

  getSettings: async ({ db }) => ({ status: 200, body: await loadSettings(db) }),

  updateSettings: async ({ body, db }) => ({
    status: 200,
    body: await changeSettings(db, body),
  }),
});
