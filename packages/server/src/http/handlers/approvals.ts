import { actorOf, writeAuditEvent } from '../../auth/audit.ts';
import { requireRole } from '../../auth/authorize.ts';
import { actsAsAdmin, type Caller, requireAdmin } from '../../auth/caller.ts';
import { decideApproval } from '../../approvals/approval-policy.ts';
import { changeApprovals, loadApprovals } from '../../store/approvals.ts';
import { loadSettings } from '../../store/settings.ts';
import type { ChatRow } from '../../chat/row.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { HandlersOf } from '../call.ts';
import type { Exchange } from '../exchange.ts';
import type { Services } from '../services.ts';

/** Writes the audit event of approval rules that a decision adds. */
export const recordRemembered =
  (
    caller: Caller,
    { address }: Exchange,
    { id: chat_id, owner_id: targetId }: Pick<ChatRow, 'id' | 'owner_id'>,
  ) =>
  async (tx: Transaction, rules: number): Promise<void> => {
    const detail = { remembered: rules, chat_id };
    const event = { action: 'user.update_approvals', targetId, detail } as const;
    await writeAuditEvent(tx, actorOf(caller, address), event);
  };

export const approvalHandlers = ({ store }: Services): HandlersOf<'Approvals'> => ({
  async decideApprovals({ found, body, tx, caller, exchange }) {
    // Rules are the owner's, and apply to their other chats.
    if (body.decisions.some(({ remember }) => remember !== undefined)) {
      requireRole(found.chat, 'owner', "chat's approval rules");
    }
    const onRemembered = recordRemembered(caller, exchange, found.chat);
    await store.approvals.decide(found.chat, body.decisions, tx, onRemembered, caller.user.id);
    return { status: 204 };
  },

  async answerQuestion({ found, body, tx }) {
    await store.approvals.answer(found.chat.id, body.tool_call_id, body.answer, tx);
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

  async testApprovals({ caller, body, db }) {
    const { tool_name, args = null, approvals, deployment_approvals } = body;
    if (deployment_approvals !== undefined) requireAdmin(caller, 'deployment_approvals');
    const deployment = deployment_approvals ?? (await loadSettings(db)).approvals;
    const owner = approvals ?? (await loadApprovals(db, caller.user.id));
    const { action, by, pattern } = decideApproval({ deployment, owner }, { tool_name, args });
    const decided_by = by === 'owner' ? 'own' : by;
    const visible = by !== 'deployment' || actsAsAdmin(caller) ? pattern : null;
    return { status: 200, body: { action, decided_by, pattern: visible } };
  },
});
