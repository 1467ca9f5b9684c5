import { dollars, type KnownModel, type KnownModels } from './known-model.ts';

const LONG =
  'With more than 272,000 input tokens, input costs twice as much and output one and a half times as much.';

const recent = (name: string, price: KnownModel['price']): KnownModel => ({
  name,
  context_limit: 1_050_000,
  max_output_tokens: 128_000,
  price,
  reasoning: true,
  vision: true,
  note: LONG,
});

const gpt5 = (name: string, price: KnownModel['price']): KnownModel => ({
  name,
  context_limit: 400_000,
  max_output_tokens: 128_000,
  price,
  reasoning: true,
  vision: true,
});

const gpt4 = (
  name: string,
  price: KnownModel['price'],
  [context_limit, max_output_tokens]: readonly [number, number],
): KnownModel => ({
  name,
  context_limit,
  max_output_tokens,
  price,
  reasoning: false,
  vision: true,
});

/**
 * developers.openai.com/api/docs: pricing, models; some values come from third parties (LiteLLM's announcements,
 * release notes of price trackers). Cache writes, where charged, cost one and a quarter of the input price.
 */
export const openaiModels: KnownModels = {
  'gpt-6-astra': recent('GPT-6 Astra', dollars(10, 50, { read: 1, write: 12.5 })),
  'gpt-6.1-sol': recent('GPT-6.1 Sol', dollars(2, 10, { read: 0.1, write: 2.5 })),
  'gpt-6.1-terra': recent('GPT-6.1 Terra', dollars(1, 5, { read: 0.05, write: 1.25 })),
  'gpt-6-sol': recent('GPT-6 Sol', dollars(2, 10, { read: 0.2, write: 2.5 })),
  'gpt-6-luna': recent('GPT-6 Luna', dollars(0.1, 0.5, { read: 0.01, write: 0.125 })),
  'gpt-5.6-sol': recent('GPT-5.6 Sol', dollars(4, 20, { read: 0.4, write: 5 })),
  'gpt-5.6-terra': recent('GPT-5.6 Terra', dollars(2, 12, { read: 0.2, write: 2.5 })),
  'gpt-5.6-luna': recent('GPT-5.6 Luna', dollars(0.2, 1.2, { read: 0.02, write: 0.25 })),
  'gpt-5.5': recent('GPT-5.5', dollars(5, 30, { read: 0.5 })),
  'gpt-5.4': recent('GPT-5.4', dollars(2.5, 15, { read: 0.25 })),
  'gpt-5.4-mini': gpt5('GPT-5.4 mini', dollars(0.75, 4.5, { read: 0.075 })),
  'gpt-5.2': gpt5('GPT-5.2', dollars(1.75, 14, { read: 0.175 })),
  'gpt-5.1': gpt5('GPT-5.1', dollars(1.25, 10, { read: 0.125 })),
  'gpt-5': gpt5('GPT-5', dollars(1.25, 10, { read: 0.125 })),
  'gpt-5-mini': gpt5('GPT-5 mini', dollars(0.25, 2, { read: 0.025 })),
  'gpt-5-nano': gpt5('GPT-5 nano', dollars(0.05, 0.4, { read: 0.005 })),
  'gpt-4.1': gpt4('GPT-4.1', dollars(2, 8, { read: 0.5 }), [1_047_576, 32_768]),
  'gpt-4.1-mini': gpt4('GPT-4.1 mini', dollars(0.4, 1.6, { read: 0.1 }), [1_047_576, 32_768]),
  'gpt-4.1-nano': gpt4('GPT-4.1 nano', dollars(0.1, 0.4, { read: 0.025 }), [1_047_576, 32_768]),
  'gpt-4o': gpt4('GPT-4o', dollars(2.5, 10, { read: 1.25 }), [128_000, 16_384]),
  'gpt-4o-mini': gpt4('GPT-4o mini', dollars(0.15, 0.6, { read: 0.075 }), [128_000, 16_384]),
};
