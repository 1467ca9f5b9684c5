import { isAdmin } from '../../auth/caller.ts';
import { requireAdmin } from '../../auth/require-admin.ts';
import { listModelConfigs } from '../../store/queries/list-model-configs.ts';
import { reportUsage } from '../../store/queries/report-usage.ts';
import { changeSettings, loadSettings } from '../../store/settings.ts';
import type { CallsOf } from '../call.ts';
import { presentModelConfig } from '../present/model-config.ts';
import { presentUsageReport } from '../present/usage.ts';
import { RequestRefused } from '../refusal.ts';

const USAGE_DAYS = 30;

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

  async getUsage({ caller, query, db, exchange }) {
    const to = query.to === undefined ? new Date() : new Date(query.to);
    const from =
      query.from === undefined
        ? new Date(to.getTime() - USAGE_DAYS * 24 * 60 * 60 * 1000)
        : new Date(query.from);
    if (from > to) {
      const errors = [{ path: 'from', message: 'is later than to' }];
      throw new RequestRefused('invalid_query', 'from: is later than to', { errors });
    }
    if (query.all === true) {
      requireAdmin(caller, 'all');
      exchange.log.info({ user: caller.user.username }, 'an admin reads the usage of all users');
      const rows = await db.query(reportUsage.all[query.group_by], [from, to]);
      return { status: 200, body: presentUsageReport(rows) };
    }
    const rows = await db.query(reportUsage.own[query.group_by], [from, to, caller.user.id]);
    return { status: 200, body: presentUsageReport(rows) };
  },
});
