import { type ApprovalRule, PATTERN_LENGTH } from '@chatd/protocol';
import { type ToolCallSummary, literal, mainArgument } from './pattern.ts';

/**
 * The rule that decides the same way on such a call from now on: on that very command where there is one, else on the
 * tool. Undefined when it would be too long.
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
