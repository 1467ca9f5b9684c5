import { actsAsAdmin } from '../../auth/caller.ts';
import { ProviderCommands } from '../../entities/providers/commands.ts';
import { presentProvider, presentProviderToMember } from '../../entities/providers/present.ts';
import {
  requireProvider,
  testProvider,
  visibleProviders,
} from '../../entities/providers/queries.ts';
import type { HandlersOf } from '../call.ts';
import type { Services } from '../services.ts';

export const providerHandlers = ({ providers }: Services): HandlersOf<'Providers'> => {
  const commands = new ProviderCommands(providers);

  return {
    async listProviders({ caller, db }) {
      const rows = await visibleProviders(db, caller);
      const shown = actsAsAdmin(caller)
        ? rows.map((row) => presentProvider(row, providers.keys))
        : rows.map(presentProviderToMember);
      return { status: 200, body: { providers: shown, next_cursor: null } };
    },

    async createProvider({ body, tx }) {
      const row = await commands.create(body, tx);
      return { status: 201, body: presentProvider(row, providers.keys) };
    },

    async getProvider({ params, caller, db }) {
      const row = await requireProvider(db, params.provider_id, caller.user.id);
      return { status: 200, body: presentProvider(row, providers.keys) };
    },

    async updateProvider({ params, body, caller, tx }) {
      await commands.update(params.provider_id, body, tx);
      const row = await requireProvider(tx, params.provider_id, caller.user.id);
      return { status: 200, body: presentProvider(row, providers.keys) };
    },

    async deleteProvider({ params, tx }) {
      await commands.delete(params.provider_id, tx);
      return { status: 204 };
    },

    async testProvider({ params, caller, db }) {
      const row = await requireProvider(db, params.provider_id, caller.user.id);
      return { status: 200, body: await testProvider(row, providers.asking) };
    },

    async setOwnKey({ params, body, caller, tx }) {
      await commands.setOwnKey(params.provider_id, caller.user.id, body.api_key, tx);
      return { status: 204 };
    },

    async deleteOwnKey({ params, caller, tx }) {
      await commands.deleteOwnKey(params.provider_id, caller.user.id, tx);
      return { status: 204 };
    },
  };
};
