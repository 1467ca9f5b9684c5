import { type ApprovalRule, PATTERN_LENGTH } from '@chatd/protocol';
import { type ToolCallSummary, literal, mainArgument } from './pattern.ts';

/**
 * The rule for "always allow" or "always deny": for this exact command if the call has one, otherwise for the tool.
 * Undefined: the rule would be too long.
 */
export function rememberedRule(
  call: ToolCallSummary,
  action: 'allow' | 'deny',
): ApprovalRule | undefined {
  const main = mainArgument(call.args);
  const name = literal(call.tool_name);
  const pattern = main.name === 'command' ? `${name}(${literal(main.text)})` : name;
  return pattern.length > PATTERN_LENGTH ? undefined : { pattern, action };
}
