/** The wire formats that a fake provider can speak. */
export const APIS = [
  'anthropic',
  'openai-responses',
  'openai-chat',
  'openai-compatible',
  'azure-responses',
  'azure-chat',
  'google',
  'bedrock',
  'openrouter',
  'gateway',
] as const;

export type Api = (typeof APIS)[number];
