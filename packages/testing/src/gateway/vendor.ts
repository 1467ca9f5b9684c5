import type { WireRequest } from '../dialect.ts';

/** The vendor of the model, whose metadata its parts carry. */
export type Vendor = 'anthropic' | 'openai' | 'google' | 'other';

const VENDORS: readonly Vendor[] = ['anthropic', 'openai', 'google'];

export function modelOf({ headers }: WireRequest): string {
  return headers['ai-language-model-id'] ?? '';
}

export function vendorOf(model: string): Vendor {
  return VENDORS.find((vendor) => model.startsWith(`${vendor}/`)) ?? 'other';
}
