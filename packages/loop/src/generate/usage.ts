import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Price, Usage } from '@chatd/protocol';

const count = (tokens: number | undefined): number | undefined =>
  tokens !== undefined && Number.isFinite(tokens) && tokens >= 0 ? Math.round(tokens) : undefined;

/**
 * Token counts do not overlap: `input_tokens` excludes cache reads and writes, so the three add up to the prompt.
 * Counts that were not reported are absent, never estimated.
 */
export function usageOf(usage: LanguageModelV4Usage, contextLimit: number | undefined): Usage {
  const { total, noCache, cacheRead, cacheWrite } = usage.inputTokens;
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const output = count(usage.outputTokens.total);
  // Some packages count cache writes as uncached input.
  const overlaps = total !== undefined && (noCache ?? 0) + cached > total;
  const uncached = overlaps ? undefined : noCache;
  const input = count(uncached ?? (total === undefined ? undefined : Math.max(0, total - cached)));
  const prompt = count(total ?? (noCache === undefined ? undefined : noCache + cached));
  const all =
    prompt === undefined && output === undefined ? undefined : (prompt ?? 0) + (output ?? 0);
  return defined({
    input_tokens: input,
    output_tokens: output,
    // May exceed the output with some providers; passed on as reported.
    reasoning_tokens: count(usage.outputTokens.reasoning),
    cache_read_tokens: count(cacheRead),
    cache_creation_tokens: count(cacheWrite),
    total_tokens: all,
    context_limit: contextLimit,
  });
}

function defined(usage: { [K in keyof Usage]: Usage[K] | undefined }): Usage {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined));
}

const MILLION = 1_000_000;

/** In millionths of a US dollar. Undefined without a price or any known count. */
export function costMicros(usage: Usage, price: Price | undefined): number | undefined {
  if (price === undefined || usage.total_tokens === undefined) return undefined;
  const sum =
    (usage.input_tokens ?? 0) * price.input +
    (usage.output_tokens ?? 0) * price.output +
    (usage.cache_read_tokens ?? 0) * (price.cache_read ?? price.input) +
    (usage.cache_creation_tokens ?? 0) * (price.cache_write ?? price.input);
  return Math.round(sum / MILLION);
}
