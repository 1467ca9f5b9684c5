import type { WebSearch } from '@chatd/protocol';
import type { ProviderTool } from '../tools/tool.ts';
import type { Family } from './family.ts';

type Definition = ProviderTool['provider'];

/** Web search by the provider, if it has one. */
export function webSearchTool(family: Family, search: WebSearch): ProviderTool | undefined {
  const provider = definition(family, search);
  return provider === undefined ? undefined : { provider };
}

function definition(family: Family, search: WebSearch): Definition | undefined {
  const { allowed_domains: allowed, blocked_domains: blocked, context_size: size } = search;
  // Anthropic rejects both at once; the allowlist is more specific.
  const domains: { allowedDomains?: string[]; blockedDomains?: string[] } = allowed?.length
    ? { allowedDomains: allowed }
    : blocked?.length
      ? { blockedDomains: blocked }
      : {};
  switch (family) {
    case 'anthropic':
      return { id: 'anthropic.web_search_20250305', name: 'web_search', args: domains };
    case 'openai-responses': {
      const filters = Object.keys(domains).length > 0 && { filters: domains };
      const contextSize = size !== undefined && { searchContextSize: size };
      return { id: 'openai.web_search', name: 'web_search', args: { ...filters, ...contextSize } };
    }
    case 'google':
      return { id: 'google.google_search', name: 'google_search', args: {} };
    case 'openrouter': {
      const parameters = {
        ...(domains.allowedDomains && { allowed_domains: domains.allowedDomains }),
        ...(domains.blockedDomains && { excluded_domains: domains.blockedDomains }),
        ...(size !== undefined && { search_context_size: size }),
      };
      return { id: 'openrouter.web_search', name: 'web_search', args: { parameters } };
    }
    case 'bedrock':
    case 'other':
      return undefined;
  }
}
