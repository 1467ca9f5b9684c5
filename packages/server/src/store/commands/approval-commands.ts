import {
  type Answer,
  APPROVAL_RULES_LIMIT,
  type ApprovalDecision,
  type ApprovalRule,
} from '@chatd/protocol';
import { needsOwner } from '../../approvals/approval-policy.ts';
import { inChat } from '../../approvals/pattern.ts';
import { rememberedPattern } from '../../approvals/remembered-rule.ts';
import { Refused } from '../../chat/refused.ts';
import type { ChatRow } from '../../chat/row.ts';
import { answerQuestion } from '../../chat/transitions/answer-question.ts';
import { decideApprovals, decided } from '../../chat/transitions/decide-approvals.ts';
import { findToolCall } from '../find-tool-call.ts';
import { toJson } from '../json.ts';
import { rememberApprovals } from '../queries/user-approvals.ts';
import { onlyRow } from '../statement.ts';
import type { Transaction } from '../transaction.ts';
import type { TransitionExecutor } from './transition-executor.ts';
import type { Written } from './write.ts';

/** Answers and approvals of the user. */
export class ApprovalCommands {
  readonly #executor: TransitionExecutor;

  constructor(executor: TransitionExecutor) {
    this.#executor = executor;
  }

  answer(chatId: string, callId: string, answer: Answer, tx?: Transaction): Promise<Written> {
    return this.#executor.perform(
      'answer_question',
      chatId,
      (chat) => answerQuestion(chat, callId, answer, this.#executor.now()),
      tx,
    );
  }

  /**
   * Stores the rules to remember together with the decisions that count. `onRemembered` runs in the same transaction, if
   * there are any. Refuses what only the owner can allow, if `deciderId` is another user.
   */
  async decide(
    { id, owner_id }: Pick<ChatRow, 'id' | 'owner_id'>,
    decisions: readonly ApprovalDecision[],
    outer?: Transaction,
    onRemembered?: (tx: Transaction, rules: number) => Promise<void>,
    deciderId: string = owner_id,
  ): Promise<Written> {
    const work = async (tx: Transaction) => {
      const rules: ApprovalRule[] = [];
      const decide = async (chat: Parameters<typeof decided>[0]) => {
        const writes = decideApprovals(chat, decisions);
        for (const call of decided(chat, decisions)) {
          const decided = decisions.find((one) => one.tool_call_id === call.tool_call_id);
          if (deciderId !== owner_id && decided?.decision === 'allow' && needsOwner(call.tool_name))
            throw new Refused(
              'role_required',
              `Only the owner of this chat can allow ${call.tool_name}, which uses their account. Ask the owner, or deny the call.`,
            );
          if (decided?.remember !== undefined) rules.push(await ruleFor(tx, chat, decided));
        }
        return writes;
      };
      const written = await this.#executor.perform('decide_approvals', id, decide, tx);
      if (rules.length > 0) {
        const added = { user_id: owner_id, rules: toJson(rules) };
        const { count } = onlyRow(await tx.query(rememberApprovals, added));
        if (count > APPROVAL_RULES_LIMIT) {
          throw new Refused(
            'invalid_request',
            `A user can have at most ${APPROVAL_RULES_LIMIT} approval rules. Delete some, or decide without "remember".`,
          );
        }
        await onRemembered?.(tx, rules.length);
      }
      return written;
    };
    return await (outer === undefined ? this.#executor.database.transaction(work) : work(outer));
  }
}

async function ruleFor(
  tx: Transaction,
  { id, root_chat_id }: Pick<ChatRow, 'id' | 'root_chat_id'>,
  { tool_call_id, decision, remember }: ApprovalDecision,
): Promise<ApprovalRule> {
  const { call } = (await findToolCall(tx, id, tool_call_id)) ?? {};
  const pattern = call && rememberedPattern({ tool_name: call.tool_name, args: call.args ?? null });
  if (pattern === undefined) {
    throw new Refused(
      'invalid_request',
      `Tool call ${tool_call_id} is too long to remember. Decide without "remember".`,
    );
  }
  return {
    pattern: remember === 'chat' ? inChat(root_chat_id ?? id, pattern) : pattern,
    action: decision,
  };
}
