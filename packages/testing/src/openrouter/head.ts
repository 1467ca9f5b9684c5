import type { JsonObject } from '../json.ts';

const NAMES: Record<string, string> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  google: 'Google',
  deepseek: 'DeepSeek',
};

/** The provider of the model, which OpenRouter names in every chunk. */
function providerOf(model: string): string {
  return NAMES[model.split('/')[0] ?? ''] ?? 'Someone';
}

export function headOf(of: { id: string; created: number; model: string }): JsonObject {
  return { ...of, provider: providerOf(of.model), object: 'chat.completion.chunk' };
}
