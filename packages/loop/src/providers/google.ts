import type { ToolDefinition } from '../tools/definitions.ts';
import type { Family } from './family.ts';

const GEMINI = /(?:^|[/.])gemini-/i;
const BEFORE_GEMINI_3 =
  /(?:^|[/.])gemini-(?:[12](?:[.-]|$)|pro(?:-vision)?$|robotics-er-1\.5(?:[.-]|$))/i;

/** Since Gemini 3 a request may mix functions with Google's own tools, and results of functions may hold files. */
export const isGemini3 = (model: string): boolean =>
  GEMINI.test(model) && !BEFORE_GEMINI_3.test(model);

/**
 * Given functions and Google's own tools for a model that takes only one kind, the provider package sends Google's alone.
 * An agent needs its functions, so they go first.
 */
export function withoutMixedTools(
  definitions: ToolDefinition[],
  family: Family,
  model: string,
): ToolDefinition[] {
  if (family !== 'google' || isGemini3(model)) return definitions;
  const functions = definitions.filter(({ type }) => type === 'function');
  return functions.length === 0 ? definitions : functions;
}
