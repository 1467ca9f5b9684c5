import type { ApprovalPolicy } from '@chatd/loop';
import type { ApprovalAction, ApprovalRule } from '@chatd/protocol';
import { type CallLook, fitsGlob, hasWildcard, mainArgument, parsePattern } from './pattern.ts';

/** With these a shell does more than the words before them say. */
const SHELL = /[;&|<>`$(){}\n\r]/;

/**
 * A rule that allows by a wildcard does not allow what is appended to a command: `execute(git *)` does not
 * match `git status; rm -rf /`.
 */
function matches({ pattern, action }: ApprovalRule, call: CallLook): boolean {
  const { name, argument } = parsePattern(pattern);
  if (!fitsGlob(name, call.tool_name)) return false;
  if (argument === undefined) return true;
  const main = mainArgument(call.args);
  const smuggles =
    action === 'allow' && main.name === 'command' && hasWildcard(argument) && SHELL.test(main.text);
  return !smuggles && fitsGlob(argument, main.text);
}

const lastMatch = (rules: readonly ApprovalRule[], call: CallLook): ApprovalAction | undefined =>
  rules.findLast((rule) => matches(rule, call))?.action;

export interface Rules {
  readonly deployment: readonly ApprovalRule[];
  readonly owner: readonly ApprovalRule[];
}

/** Of each list the last match counts; a `deny` of the deployment is final, else the owner's word goes first. */
export function approvalPolicy({ deployment, owner }: Rules): ApprovalPolicy {
  return (call) => {
    const look = { tool_name: call.tool_name, args: call.args ?? null };
    const given = lastMatch(deployment, look);
    if (given === 'deny') return 'deny';
    return lastMatch(owner, look) ?? given ?? 'allow';
  };
}
