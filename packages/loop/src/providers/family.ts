/** Providers that want the same treatment. */
export type Family = 'anthropic' | 'openai-responses' | 'google' | 'other';

/** By the name that the model gives itself, such as `anthropic.messages` or `azure.responses`. */
export function familyOf(provider: string): Family {
  if (provider.includes('anthropic')) return 'anthropic';
  if (provider.endsWith('.responses') && !provider.startsWith('xai')) return 'openai-responses';
  if (/^(?:google|vertex|gemini)\b/.test(provider)) return 'google';
  return 'other';
}
