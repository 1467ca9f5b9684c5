import { dollars, type KnownModel, type KnownModels } from './known-model.ts';

const claude = (
  name: string,
  price: KnownModel['price'],
  limits: readonly [context: number, output: number] = [1_000_000, 128_000],
): KnownModel => ({
  name,
  context_limit: limits[0],
  max_output_tokens: limits[1],
  price,
  reasoning: true,
  vision: true,
});

const OPUS = dollars(5, 25, { read: 0.5, write: 6.25 });
const SONNET = dollars(3, 15, { read: 0.3, write: 3.75 });
const FORMER: [number, number] = [200_000, 64_000];

/**
 * platform.claude.com/docs: pricing, models overview. Cache writes are those that last five minutes, at the published
 * one and a quarter of the input price.
 */
export const anthropicModels: KnownModels = {
  'claude-fable-5-1': claude('Claude Fable 5.1', dollars(10, 50, { read: 0.25, write: 12.5 })),
  'claude-fable-5': claude('Claude Fable 5', dollars(10, 50, { read: 1, write: 12.5 })),
  'claude-opus-5-5': claude('Claude Opus 5.5', dollars(4, 20, { read: 0.2, write: 5 })),
  'claude-opus-5': claude('Claude Opus 5', OPUS),
  'claude-opus-4-8': claude('Claude Opus 4.8', OPUS),
  'claude-opus-4-7': claude('Claude Opus 4.7', OPUS),
  'claude-opus-4-6': claude('Claude Opus 4.6', OPUS),
  'claude-opus-4-5': claude('Claude Opus 4.5', OPUS, FORMER),
  'claude-opus-4-1': claude(
    'Claude Opus 4.1',
    dollars(15, 75, { read: 1.5, write: 18.75 }),
    [200_000, 32_000],
  ),
  'claude-sonnet-5-5': claude('Claude Sonnet 5.5', dollars(2, 10, { read: 0.1, write: 2.5 })),
  'claude-sonnet-5': claude('Claude Sonnet 5', dollars(2, 10, { read: 0.2, write: 2.5 })),
  'claude-sonnet-4-6': claude('Claude Sonnet 4.6', SONNET),
  'claude-sonnet-4-5': claude('Claude Sonnet 4.5', SONNET, FORMER),
  'claude-haiku-5-5': {
    ...claude('Claude Haiku 5.5', dollars(0.1, 0.5, { read: 0.01, write: 0.125 })),
    note: 'Prompts of more than 100,000 tokens cost five times as much.',
  },
  'claude-haiku-4-5': claude('Claude Haiku 4.5', dollars(1, 5, { read: 0.1, write: 1.25 }), FORMER),
};
