import type { ApprovalPolicy } from '@chatd/loop';
import type { ApprovalAction, ApprovalRule } from '@chatd/protocol';
import {
  type ToolCallSummary,
  matchesGlob,
  hasWildcard,
  mainArgument,
  parsePattern,
} from './pattern.ts';

/** Characters with which a shell command does more than its first words say. */
const SHELL = /[;&|<>`$(){}\n\r]/;

/**
 * A wildcard in an allow rule does not cover appended commands: `execute(git *)` does not match `git status; rm -rf /`.
 */
function matches({ pattern, action }: ApprovalRule, call: ToolCallSummary): boolean {
  const { chatId, name, argument } = parsePattern(pattern);
  if (chatId !== undefined && chatId !== call.chat_id) return false;
  if (!matchesGlob(name, call.tool_name)) return false;
  if (argument === undefined) return true;
  const main = mainArgument(call.args);
  const smuggles =
    action === 'allow' && main.name === 'command' && hasWildcard(argument) && SHELL.test(main.text);
  return !smuggles && matchesGlob(argument, main.text);
}

const lastMatch = (
  rules: readonly ApprovalRule[],
  call: ToolCallSummary,
): ApprovalRule | undefined => rules.findLast((rule) => matches(rule, call));

export interface ApprovalRuleSets {
  readonly deployment: readonly ApprovalRule[];
  readonly owner: readonly ApprovalRule[];
}

/** Calls that ask unless a rule says otherwise: they change something outside of the deployment. */
const DEFAULT_RULES: readonly ApprovalRule[] = [
  { pattern: 'git_push', action: 'ask' },
  { pattern: 'open_pull_request', action: 'ask' },
];

/**
 * Whether only the owner of a chat can allow calls of a tool: it acts for them at another service, with their account. A
 * rule of the owner that allows the tool is such a permission, too.
 */
export const needsOwner = (tool_name: string): boolean =>
  DEFAULT_RULES.some(({ pattern }) => pattern === tool_name);

export interface ApprovalDecision {
  readonly action: ApprovalAction;
  /** The source of the rule that decided. Null: no rule matches. */
  readonly by: keyof ApprovalRuleSets | null;
  readonly pattern: string | null;
}

/**
 * In each list the last match counts. A `deny` of the deployment is final; otherwise the owner's rules take precedence.
 */
export function decideApproval(
  { deployment, owner }: ApprovalRuleSets,
  call: ToolCallSummary,
): ApprovalDecision {
  const given = lastMatch(deployment, call);
  const own = given?.action === 'deny' ? undefined : lastMatch(owner, call);
  const rule = own ?? given;
  if (rule === undefined) {
    return { action: lastMatch(DEFAULT_RULES, call)?.action ?? 'allow', by: null, pattern: null };
  }
  return { ...rule, by: own === undefined ? 'deployment' : 'owner' };
}

/** For the calls of a chat, or of its subagents. */
export const approvalPolicy =
  (rules: ApprovalRuleSets, chat_id: string): ApprovalPolicy =>
  ({ tool_name, args }) =>
    decideApproval(rules, { tool_name, args: args ?? null, chat_id }).action;
