import type { JsonObject, WebSearch } from '@chatd/protocol';
import type { ProviderAccess } from './access.ts';
import { KINDS } from './kinds/index.ts';
import type { ModelOptions } from './model-options.ts';
import { knownNames, type OptionError, optionErrors } from './option-errors.ts';

export function modelOptionErrors(
  provider: ProviderAccess,
  { provider_options, web_search }: ModelOptions,
): OptionError[] {
  return [
    ...(provider_options === undefined ? [] : providerOptionErrors(provider, provider_options)),
    ...(web_search === undefined ? [] : webSearchErrors(provider, web_search)),
  ];
}

/** Unknown options are refused, because a silently ignored setting would be misleading. */
function providerOptionErrors(provider: ProviderAccess, given: JsonObject): OptionError[] {
  const kind = KINDS[provider.type];
  const known = kind.providerOptions(provider);
  return Object.entries(given).flatMap(([name, value]) => {
    const path = `provider_options.${name}`;
    const schema = Object.hasOwn(known, name) ? known[name] : undefined;
    if (schema !== undefined) return optionErrors(schema, value, path);
    const message = `is not the name of the ${kind.label} options${knownNames(Object.keys(known))}`;
    return [{ path, message }];
  });
}

function webSearchErrors(provider: ProviderAccess, search: WebSearch): OptionError[] {
  const kind = KINDS[provider.type];
  const can = kind.webSearch(provider);
  if (can === undefined) {
    return [{ path: 'web_search', message: `${kind.label} has no supported web search` }];
  }
  const { allowed_domains, blocked_domains, context_size } = search;
  const untold = `is not supported by the web search of ${kind.label}`;
  return [
    ...(allowed_domains && !can.domains ? [wrong('allowed_domains', untold)] : []),
    ...(blocked_domains && !can.domains ? [wrong('blocked_domains', untold)] : []),
    ...(allowed_domains && blocked_domains && can.domains
      ? [wrong('blocked_domains', 'cannot be combined with allowed_domains')]
      : []),
    ...(context_size && !can.contextSize ? [wrong('context_size', untold)] : []),
  ];
}

const wrong = (field: keyof WebSearch, message: string) => ({
  path: `web_search.${field}`,
  message,
});
