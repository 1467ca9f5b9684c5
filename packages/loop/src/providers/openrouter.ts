import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ReasoningEffort } from '@chatd/protocol';

/** Its package reads the effort from its own options alone, where `xhigh` is the most. */
export function withOpenRouterEffort(
  options: SharedV4ProviderOptions | undefined,
  effort: ReasoningEffort,
): SharedV4ProviderOptions {
  const own = options?.['openrouter'];
  const asked = { reasoning: { effort: effort === 'max' ? 'xhigh' : effort } };
  // What an admin set outright stays.
  return { ...options, openrouter: { ...asked, ...own } };
}
