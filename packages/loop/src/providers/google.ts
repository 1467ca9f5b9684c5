import type { ToolDefinition } from '../tools/definitions.ts';
import type { Family } from './family.ts';

const GEMINI = /(?:^|[/.])gemini-/i;
const BEFORE_GEMINI_3 =
  /(?:^|[/.])gemini-(?:[12](?:[.-]|$)|pro(?:-vision)?$|robotics-er-1\.5(?:[.-]|$))/i;

/**
 * Google's models before Gemini 3 take functions or Google's own tools, not both. Given both, the provider package sends
 * Google's tools alone. An agent needs its functions, so they go first.
 */
export function withoutMixedTools(
  definitions: ToolDefinition[],
  family: Family,
  model: string,
): ToolDefinition[] {
  const takesBoth = family !== 'google' || (GEMINI.test(model) && !BEFORE_GEMINI_3.test(model));
  if (takesBoth || !definitions.some(({ type }) => type === 'function')) return definitions;
  return definitions.filter(({ type }) => type === 'function');
}
