import type { Answer } from '../answer.ts';
import type { JsonObject } from '../json.ts';

/** Google counts thoughts beside the candidates, not among them. */
export function usageOf({ usage, metadata }: Answer): JsonObject {
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
