import { dollars, type KnownModel, type KnownModels } from './known-model.ts';

const LONG =
  'With more than 200,000 input tokens, input costs twice as much and output one and a half times as much.';

const gemini = (name: string, price: KnownModel['price'], note?: string): KnownModel => ({
  name,
  context_limit: 1_048_576,
  max_output_tokens: 65_536,
  price,
  reasoning: true,
  vision: true,
  ...(note !== undefined && { note }),
});

/**
 * ai.google.dev/gemini-api/docs: pricing, models; Gemini 3.8 Flash from the list of Vercel's gateway. Cache reads cost
 * a tenth of the input price, unless published otherwise.
 */
export const googleModels: KnownModels = {
  'gemini-4-argon': gemini(
    'Gemini 4 Argon',
    dollars(2, 10, { read: 0.1 }),
    'The price doubles on 1 December 2026.',
  ),
  'gemini-3.8-flash': gemini('Gemini 3.8 Flash', dollars(0.75, 3.75)),
  'gemini-3.5-flash': gemini('Gemini 3.5 Flash', dollars(1.5, 9, { read: 0.15 })),
  'gemini-3.1-pro-preview': gemini('Gemini 3.1 Pro', dollars(2, 12, { read: 0.2 }), LONG),
  'gemini-3-flash-preview': gemini('Gemini 3 Flash', dollars(0.5, 3, { read: 0.05 })),
  'gemini-3.1-flash-lite': gemini('Gemini 3.1 Flash-Lite', dollars(0.25, 1.5, { read: 0.025 })),
  'gemini-2.5-pro': gemini('Gemini 2.5 Pro', dollars(1.25, 10, { read: 0.125 }), LONG),
  'gemini-2.5-flash': gemini('Gemini 2.5 Flash', dollars(0.3, 2.5, { read: 0.03 })),
  'gemini-2.5-flash-lite': gemini('Gemini 2.5 Flash-Lite', dollars(0.1, 0.4, { read: 0.01 })),
};
