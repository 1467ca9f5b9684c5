import type { LanguageModelV4 } from '@ai-sdk/provider';
import { type Clock, systemClock } from '@chatd/loop';
import { Attempts } from './attempts.ts';
import { DemoModel } from './demo-model.ts';
import type { Pace } from './pace.ts';

export interface DemoOptions {
  pace?: Pace;
  clock?: Clock;
}

/** The provider of the demo model, in the style of the AI SDK's packages. */
export function createDemo({ pace = 'readable', clock = systemClock }: DemoOptions = {}): (
  modelId: string,
) => LanguageModelV4 {
  const attempts = new Attempts(clock);
  return (modelId) => new DemoModel(modelId, { pace, clock, attempts });
}
