import { ReasoningEffort } from '@chatd/protocol';
import type { ModelSettings } from '../settings.ts';

const ORDER = ReasoningEffort.options;

/** The requested effort or the model's default, limited by the model's maximum. */
export function effortOf({ effort, reasoning_effort }: ModelSettings): ReasoningEffort | undefined {
  const asked = effort ?? reasoning_effort?.default;
  if (asked === undefined || reasoning_effort === undefined) return asked;
  const { max } = reasoning_effort;
  return ORDER.indexOf(asked) > ORDER.indexOf(max) ? max : asked;
}
