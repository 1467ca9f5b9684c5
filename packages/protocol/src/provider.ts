import { z } from 'zod';

/** What speaks to the models: one AI SDK package each, and the demo, which needs none. */
export const ProviderType = z.enum([
  'anthropic',
  'openai',
  'google',
  'azure',
  'bedrock',
  'openai-compatible',
  'openrouter',
  'vercel',
  'demo',
]);
export type ProviderType = z.infer<typeof ProviderType>;
