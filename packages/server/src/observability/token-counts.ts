import type { LanguageModelV4Usage } from '@ai-sdk/provider';

/** Disjoint classes, except that reasoning is part of the output. Undefined: not reported. */
export function tokenCounts({ inputTokens, outputTokens }: LanguageModelV4Usage) {
  const { total, noCache, cacheRead, cacheWrite } = inputTokens;
  const rest = total === undefined ? undefined : total - (cacheRead ?? 0) - (cacheWrite ?? 0);
  return {
    input: count(noCache ?? rest),
    cache_read: count(cacheRead),
    cache_creation: count(cacheWrite),
    output: count(outputTokens.total),
    reasoning: count(outputTokens.reasoning),
  };
}

/** Providers may report invalid numbers. */
const count = (tokens: number | undefined): number | undefined =>
  tokens !== undefined && Number.isFinite(tokens) && tokens >= 0 ? Math.round(tokens) : undefined;
