import { PATTERN_LENGTH } from '@chatd/protocol';
import { inChat, literal, mainArgument, type ToolCallSummary } from './pattern.ts';

/**
 * The pattern of a remembered decision: for this exact command, path, or URL if the call has one, otherwise for the
 * tool. Undefined: it would be too long, with the prefix for a chat.
 */
export function rememberedPattern(call: ToolCallSummary): string | undefined {
  const main = mainArgument(call.args);
  const name = literal(call.tool_name);
  const pattern = main.name === undefined ? name : `${name}(${literal(main.text)})`;
  const { length } = inChat('00000000-0000-0000-0000-000000000000', pattern);
  return length > PATTERN_LENGTH ? undefined : pattern;
}
