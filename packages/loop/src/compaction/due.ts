import type { Usage } from '@chatd/protocol';
import type { HistoryMessage } from '../history/message.ts';
import { lastStepIndex } from '../history/open-calls.ts';

export interface CompactionConfig {
  /** Percentage of the context limit, 0 to 100. 100 disables automatic summaries. */
  compaction_threshold: number;
  context_limit?: number;
}

/** Prompt tokens as counted by the provider. Undefined if it did not report them. */
export function usedTokens(usage: Usage | undefined): number | undefined {
  const classes = [usage?.input_tokens, usage?.cache_read_tokens, usage?.cache_creation_tokens];
  const known = classes.filter((tokens) => tokens !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, tokens) => sum + tokens, 0);
}

function overThreshold(usage: Usage | undefined, config: CompactionConfig): boolean {
  const used = usedTokens(usage);
  const limit = usage?.context_limit ?? config.context_limit;
  if (config.compaction_threshold >= 100 || used === undefined || !limit) return false;
  return used * 100 >= config.compaction_threshold * limit;
}

/** A step is summarized at most once, whether or not the summary succeeds. */
export function compactionDue(
  messages: readonly HistoryMessage[],
  config: CompactionConfig,
): boolean {
  const index = lastStepIndex(messages);
  const tried = messages.slice(index + 1).some((m) => m.meta?.compaction !== undefined);
  return !tried && overThreshold(messages[index]?.usage, config);
}
