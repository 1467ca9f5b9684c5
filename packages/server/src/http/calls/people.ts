import { changeApprovals, loadApprovals } from '../../store/approvals.ts';
import type { CallsOf } from '../call.ts';
import type { Services } from '../services.ts';

export const peopleCalls = ({ store }: Services): CallsOf<'People'> => ({
  async decideApprovals({ found, body, tx }) {
    await store.people.decide(found.chat, body.decisions, tx);
    return { status: 204 };
  },

  async answerQuestion({ found, body, tx }) {
    await store.people.answer(found.chat.id, body.tool_call_id, body.answer, tx);
    return { status: 204 };
  },

  getApprovals: async ({ caller, db }) => ({
    status: 200,
    body: { approvals: await loadApprovals(db, caller.user.id) },
  }),

  updateApprovals: async ({ caller, body, db }) => ({
    status: 200,
    body: { approvals: await changeApprovals(db, caller.user.id, body.approvals) },
  }),
});
