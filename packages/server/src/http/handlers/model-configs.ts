import { actsAsAdmin } from '../../auth/caller.ts';
import { ModelConfigCommands } from '../../entities/model-configs/commands.ts';
import { presentModelConfig } from '../../entities/model-configs/present.ts';
import {
  listOfferedModels,
  requireModelConfig,
  testModelConfig,
  visibleModelConfigs,
} from '../../entities/model-configs/queries.ts';
import type { HandlersOf } from '../call.ts';
import type { Services } from '../services.ts';

export const modelConfigHandlers = ({ providers }: Services): HandlersOf<'Models'> => {
  const commands = new ModelConfigCommands(providers);

  return {
    async listModelConfigs({ caller, db }) {
      const rows = await visibleModelConfigs(db, caller);
      const shown = rows.map((row) => presentModelConfig(row, actsAsAdmin(caller)));
      return { status: 200, body: { model_configs: shown, next_cursor: null } };
    },

    async createModelConfig({ body, caller, tx }) {
      const row = await commands.create(body, caller.user.id, tx);
      return { status: 201, body: presentModelConfig(row, true) };
    },

    async getModelConfig({ params, db }) {
      const row = await requireModelConfig(db, params.model_config_id);
      return { status: 200, body: presentModelConfig(row, true) };
    },

    async updateModelConfig({ params, body, caller, tx }) {
      const row = await commands.update(params.model_config_id, body, caller.user.id, tx);
      return { status: 200, body: presentModelConfig(row, true) };
    },

    async deleteModelConfig({ params, tx }) {
      await commands.delete(params.model_config_id, tx);
      return { status: 204 };
    },

    testModelConfig: async ({ params, caller, db }) => ({
      status: 200,
      body: await testModelConfig(providers, params.model_config_id, caller.user.id, db),
    }),

    listModels: async ({ query, caller, db }) => ({
      status: 200,
      body: await listOfferedModels(providers, caller.user.id, query.refresh ?? false, db),
    }),
  };
};
