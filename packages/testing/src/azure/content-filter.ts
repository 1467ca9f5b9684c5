import type { StreamFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import { isObject, objects } from '../json.ts';

const SAFE = { severity: 'safe', filtered: false };
const RESULTS = { hate: SAFE, self_harm: SAFE, sexual: SAFE, violence: SAFE };

/** Azure starts a stream with the filter results of the prompt, and adds them to every choice. */
export function filtered(frames: readonly StreamFrame[]): StreamFrame[] {
  const opening = {
    type: 'event' as const,
    part: false,
    data: {
      id: '',
      object: '',
      created: 0,
      model: '',
      choices: [],
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: RESULTS }],
    },
  };
  return [opening, ...frames.map(withFilterResults)];
}

function withFilterResults(frame: StreamFrame): StreamFrame {
  if (frame.type !== 'event' || !isObject(frame.data)) return frame;
  const choices = objects(frame.data['choices']).map((choice): JsonObject => ({
    ...choice,
    content_filter_results: RESULTS,
  }));
  return { ...frame, data: { ...frame.data, choices } };
}
