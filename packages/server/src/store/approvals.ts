import type { ApprovalRule } from '@chatd/protocol';
import { toJson } from './json.ts';
import { readApprovals, readApprovalsOfChat, writeApprovals } from './queries/user-approvals.ts';
import { onlyRow, type Queryable } from './statement.ts';

/** The approval rules of a user. */
export async function loadApprovals(db: Queryable, userId: string): Promise<ApprovalRule[]> {
  const [row] = await db.query(readApprovals, { user_id: userId });
  return row?.rules ?? [];
}

/** The approval rules that apply to a chat, besides those of the deployment. */
export async function loadApprovalsOfChat(db: Queryable, chatId: string): Promise<ApprovalRule[]> {
  const [row] = await db.query(readApprovalsOfChat, { chat_id: chatId });
  return row?.rules ?? [];
}

export async function changeApprovals(
  db: Queryable,
  userId: string,
  rules: readonly ApprovalRule[],
): Promise<ApprovalRule[]> {
  return onlyRow(await db.query(writeApprovals, { user_id: userId, rules: toJson(rules) })).rules;
}
