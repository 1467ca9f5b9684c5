import type { ModelConfig, ReasoningEffort } from '@chatd/protocol';

/** From least to most. */
const EFFORTS: readonly ReasoningEffort[] = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
];

export const EFFORT_NAMES: Record<ReasoningEffort, string> = {
  none: 'None',
  minimal: 'Minimal',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  xhigh: 'Extra high',
  max: 'Maximum',
};

type Effortful = Pick<ModelConfig, 'reasoning_effort'>;

/** The efforts up to the model's maximum; empty when effort cannot be set. */
export function effortsOf({ reasoning_effort }: Effortful): readonly ReasoningEffort[] {
  if (reasoning_effort === undefined) return [];
  return EFFORTS.slice(0, EFFORTS.indexOf(reasoning_effort.max) + 1);
}

/** The effort that a request results in with this model. */
export function effortFor(
  config: Effortful,
  wish: ReasoningEffort | null | undefined,
): ReasoningEffort | undefined {
  const offered = effortsOf(config);
  if (wish === null || wish === undefined) return config.reasoning_effort?.default;
  return offered.includes(wish) ? wish : offered.at(-1);
}
