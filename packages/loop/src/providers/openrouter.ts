import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ReasoningEffort } from '@chatd/protocol';

/** Its package reads the effort only from its own options, where `xhigh` is the maximum. */
export function withOpenRouterEffort(
  options: SharedV4ProviderOptions | undefined,
  effort: ReasoningEffort,
): SharedV4ProviderOptions {
  const own = options?.['openrouter'];
  const asked = { reasoning: { effort: effort === 'max' ? 'xhigh' : effort } };
  // An explicit setting of an admin takes precedence.
  return { ...options, openrouter: { ...asked, ...own } };
}
