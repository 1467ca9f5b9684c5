import type { WireRequest } from '../dialect.ts';

/** Who makes the model: what its parts carry, and want back, is theirs. */
export type Vendor = 'anthropic' | 'openai' | 'google' | 'other';

const VENDORS: readonly Vendor[] = ['anthropic', 'openai', 'google'];

export function modelOf({ headers }: WireRequest): string {
  return headers['ai-language-model-id'] ?? '';
}

export function vendorOf(model: string): Vendor {
  return VENDORS.find((vendor) => model.startsWith(`${vendor}/`)) ?? 'other';
}
