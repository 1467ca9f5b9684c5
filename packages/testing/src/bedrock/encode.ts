import type { ScriptedAnswer, Finish } from '../answer.ts';
import type { EncodeContext } from '../dialect.ts';
import type { StreamFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import { encodeBlock } from './blocks.ts';
import { frame } from './event.ts';

const STOP_REASONS: Record<Finish, string> = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'guardrail_intervened',
  pause: 'end_turn',
};

export function encode(answer: ScriptedAnswer, { ids }: EncodeContext): StreamFrame[] {
  const frames: StreamFrame[] = [frame({ messageStart: { role: 'assistant' } })];
  let index = 0;
  for (const part of answer.parts) {
    frames.push(...encodeBlock(part, index, ids));
    if (part.type !== 'gate' && part.type !== 'raw') index++;
  }
  frames.push(frame({ messageStop: { stopReason: STOP_REASONS[answer.finish] } }));
  frames.push(frame({ metadata: { usage: usageOf(answer), metrics: { latencyMs: 100 } } }));
  return frames;
}

function usageOf({ usage, metadata }: ScriptedAnswer): JsonObject {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    inputTokens: usage.input,
    outputTokens: usage.output,
    totalTokens: prompt + usage.output,
    cacheReadInputTokens: usage.cacheRead,
    cacheWriteInputTokens: usage.cacheWrite,
    ...metadata,
  };
}
