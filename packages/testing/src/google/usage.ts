import type { ScriptedAnswer } from '../answer.ts';
import type { JsonObject } from '../json.ts';

/** Google counts thoughts separately from the candidates. */
export function usageOf({ usage, metadata }: ScriptedAnswer): JsonObject {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    promptTokenCount: prompt,
    ...(usage.cacheRead > 0 && { cachedContentTokenCount: usage.cacheRead }),
    candidatesTokenCount: usage.output - usage.reasoning,
    ...(usage.reasoning > 0 && { thoughtsTokenCount: usage.reasoning }),
    totalTokenCount: prompt + usage.output,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
    ...metadata,
  };
}
