/** Providers that need the same treatment. */
export type Family =
  | 'anthropic'
  | 'openai-responses'
  | 'google'
  | 'bedrock'
  | 'openrouter'
  | 'other';

/** The AI SDK's gateway passes everything on to the model's vendor, in the format of that vendor's package. */
const BEHIND_GATEWAY: Readonly<Record<string, Family>> = {
  anthropic: 'anthropic',
  openai: 'openai-responses',
  google: 'google',
};

const vendorOf = (model: string): string => model.split('/')[0] ?? '';

/** By the name of the model's package, such as `anthropic.messages` or `azure.responses`. */
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
 * The origin of a response's IDs and signatures: behind a gateway the vendor, and where any model can be behind one
 * name, that model.
 */
export function originOf(provider: string | undefined, model: string | undefined): string {
  const name = provider ?? '';
  if (name.startsWith('gateway')) return `${name}/${vendorOf(model ?? '')}`;
  const family = familyOf(name, model);
  return family === 'openrouter' || family === 'bedrock' ? `${name}/${model ?? ''}` : name;
}
