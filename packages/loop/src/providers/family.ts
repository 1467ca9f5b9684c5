/** Providers that want the same treatment. */
export type Family =
  | 'anthropic'
  | 'openai-responses'
  | 'google'
  | 'bedrock'
  | 'openrouter'
  | 'other';

/** The AI SDK's gateway hands everything on to whose model it is, as that vendor's own package has it. */
const BEHIND_GATEWAY: Readonly<Record<string, Family>> = {
  anthropic: 'anthropic',
  openai: 'openai-responses',
  google: 'google',
};

const vendorOf = (model: string): string => model.split('/')[0] ?? '';

/** By the name that the model gives itself, such as `anthropic.messages` or `azure.responses`. */
export function familyOf(provider: string, model = ''): Family {
  if (provider.includes('anthropic')) return 'anthropic';
  if (provider.startsWith('gateway')) return BEHIND_GATEWAY[vendorOf(model)] ?? 'other';
  if (provider.startsWith('openrouter')) return 'openrouter';
  if (provider.includes('bedrock')) return 'bedrock';
  if (provider.endsWith('.responses') && !provider.startsWith('xai')) return 'openai-responses';
  if (/^(?:google|vertex|gemini)\b/.test(provider)) return 'google';
  return 'other';
}

/**
 * Whose ids and signatures a response holds. One provider may stand before many: behind a gateway they are the
 * vendor's, and where any model can be behind one name, those of that model alone.
 */
export function originOf(provider: string | undefined, model: string | undefined): string {
  const name = provider ?? '';
  if (name.startsWith('gateway')) return `${name}/${vendorOf(model ?? '')}`;
  const family = familyOf(name, model);
  return family === 'openrouter' || family === 'bedrock' ? `${name}/${model ?? ''}` : name;
}
