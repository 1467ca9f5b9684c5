/** The newest models first: a name can contain that of an older one. */
const LIMITS: readonly (readonly [model: RegExp, tokens: number])[] = [
  [/claude-(?:opus|sonnet|haiku|fable)-5/, 128_000],
  [/claude-opus-4-[678]|claude-sonnet-4-6/, 128_000],
  [/claude-(?:opus|sonnet|haiku)-4-5/, 64_000],
  [/claude-sonnet-4/, 64_000],
  [/claude-opus-4/, 32_000],
  [/claude-3-haiku/, 4096],
];

/** Claude's error for a `max_tokens` above the model's limit. Other models have no limit here. */
export function outputFault(model: string, maxTokens: unknown): string | undefined {
  const [, limit] = LIMITS.find(([name]) => name.test(model)) ?? [];
  return typeof maxTokens === 'number' && limit !== undefined && maxTokens > limit
    ? `max_tokens: ${maxTokens} > ${limit}, which is the maximum allowed number of output tokens for ${model}`
    : undefined;
}
