import { requireAdmin } from '../../auth/caller.ts';
import { refusedField } from '../../chat/refused.ts';
import { presentSpend, presentUsageReport, usageTable } from '../../present/usage.ts';
import { readSharedLimits, readSpend } from '../../store/accounting/spend.ts';
import { reportUsage } from '../../store/queries/model-calls.ts';
import type { Queryable } from '../../store/statement.ts';
import type { HandlersOf } from '../call.ts';
import { prefers } from '../request/accept.ts';

const USAGE_DAYS = 30;

export const usageHandlers = (): HandlersOf<'Usage'> => ({
  async getUsage({ caller, query, db, exchange }) {
    const to = query.to === undefined ? new Date() : new Date(query.to);
    const from =
      query.from === undefined
        ? new Date(to.getTime() - USAGE_DAYS * 24 * 60 * 60 * 1000)
        : new Date(query.from);
    if (from > to) {
      throw refusedField('from', 'is later than to', 'invalid_query');
    }
    const { group_by: group, all = false } = query;
    if (all) {
      requireAdmin(caller, 'all');
      exchange.log.info({ user: caller.user.username }, 'an admin reads the usage of all users');
    }
    const report = (by: typeof group) =>
      all
        ? db.query(reportUsage.all[by], { from, to })
        : db.query(reportUsage.own[by], { from, to, user_id: caller.user.id });
    const rows = await report(group);
    if (prefers(exchange.header('accept'), 'text/csv')) {
      return { status: 200, media: 'text/csv; charset=utf-8', content: usageTable(rows) };
    }
    const counted = group === 'group' ? await report('kind') : rows;
    return { status: 200, body: presentUsageReport(rows, counted) };
  },

  getMySpend: async ({ caller, db }) => ({ status: 200, body: await spendOf(db, caller.user.id) }),

  async getSpend({ caller, found, db, exchange }) {
    const { username: of } = found.user;
    exchange.log.info({ user: caller.user.username, of }, 'an admin reads what a user has spent');
    return { status: 200, body: await spendOf(db, found.user.id) };
  },
});

const spendOf = async (db: Queryable, userId: string) =>
  presentSpend(await readSpend(db, userId), await readSharedLimits(db, userId));
