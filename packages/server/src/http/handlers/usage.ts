import { requireAdmin } from '../../auth/caller.ts';
import { reportUsage } from '../../store/queries/model-calls.ts';
import { readSpend } from '../../store/accounting/spend.ts';
import type { HandlersOf } from '../call.ts';
import { presentSpend, presentUsageReport } from '../../present/usage.ts';
import { refusedField } from '../../chat/refused.ts';

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
    if (query.all === true) {
      requireAdmin(caller, 'all');
      exchange.log.info({ user: caller.user.username }, 'an admin reads the usage of all users');
      const rows = await db.query(reportUsage.all[query.group_by], { from, to });
      return { status: 200, body: presentUsageReport(rows) };
    }
    const rows = await db.query(reportUsage.own[query.group_by], {
      from,
      to,
      user_id: caller.user.id,
    });
    return { status: 200, body: presentUsageReport(rows) };
  },

  async getMySpend({ caller, db }) {
    return { status: 200, body: presentSpend(await readSpend(db, caller.user.id)) };
  },

  async getSpend({ caller, found, db, exchange }) {
    const { username: of } = found.user;
    exchange.log.info({ user: caller.user.username, of }, 'an admin reads what a user has spent');
    return { status: 200, body: presentSpend(await readSpend(db, found.user.id)) };
  },
});
