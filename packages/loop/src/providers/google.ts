import type { ToolDefinition } from '../tools/definitions.ts';
import type { Family } from './family.ts';

const GEMINI = /(?:^|[/.])gemini-/i;
const BEFORE_GEMINI_3 =
  /(?:^|[/.])gemini-(?:[12](?:[.-]|$)|pro(?:-vision)?$|robotics-er-1\.5(?:[.-]|$))/i;

/** Since Gemini 3, a request can combine functions with Google's own tools, and function results can contain files. */
export const isGemini3 = (model: string): boolean =>
  GEMINI.test(model) && !BEFORE_GEMINI_3.test(model);

/**
 * If a model accepts only one kind, the provider package sends only Google's own tools. An agent needs its functions,
 * so they take precedence.
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
