/** The wire formats that a fake provider can speak. */
export const APIS = ['anthropic', 'openai-responses', 'openai-chat', 'google'] as const;

export type Api = (typeof APIS)[number];
