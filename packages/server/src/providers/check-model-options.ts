import type { JsonObject, WebSearch } from '@chatd/protocol';
import type { ProviderAccess } from './access.ts';
import { KINDS } from './kinds/index.ts';
import type { ModelOptions } from './model-options.ts';
import { knownNames, type OptionError, optionErrors } from './option-errors.ts';

/** All of a model's options that only its provider can judge. */
export function modelOptionErrors(
  provider: ProviderAccess,
  { provider_options, web_search }: ModelOptions,
): OptionError[] {
  return [
    ...(provider_options === undefined ? [] : providerOptionErrors(provider, provider_options)),
    ...(web_search === undefined ? [] : webSearchErrors(provider, web_search)),
  ];
}

/** What the provider does not know is refused: a setting that is ignored would be worse than none. */
function providerOptionErrors(provider: ProviderAccess, given: JsonObject): OptionError[] {
  const kind = KINDS[provider.type];
  const known = kind.providerOptions(provider);
  return Object.entries(given).flatMap(([name, value]) => {
    const path = `provider_options.${name}`;
    const schema = Object.hasOwn(known, name) ? known[name] : undefined;
    if (schema !== undefined) return optionErrors(schema, value, path);
    const message = `is not what the options of ${kind.label} are called${knownNames(Object.keys(known))}`;
    return [{ path, message }];
  });
}

function webSearchErrors(provider: ProviderAccess, search: WebSearch): OptionError[] {
  const kind = KINDS[provider.type];
  const can = kind.webSearch(provider);
  if (can === undefined) {
    return [
      { path: 'web_search', message: `${kind.label} has no web search that can be used here` },
    ];
  }
  const { allowed_domains, blocked_domains, context_size } = search;
  const untold = `the web search of ${kind.label} cannot be told this`;
  return [
    ...(allowed_domains && !can.domains ? [wrong('allowed_domains', untold)] : []),
    ...(blocked_domains && !can.domains ? [wrong('blocked_domains', untold)] : []),
    ...(allowed_domains && blocked_domains && can.domains
      ? [wrong('blocked_domains', 'cannot stand beside allowed_domains')]
      : []),
    ...(context_size && !can.contextSize ? [wrong('context_size', untold)] : []),
  ];
}

const wrong = (field: keyof WebSearch, message: string) => ({
  path: `web_search.${field}`,
  message,
});
