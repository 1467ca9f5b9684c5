import { z } from 'zod';
import { createDemo } from '../demo/index.ts';
import type { ProviderKind } from './kind.ts';

const Options = z.strictObject({
  /** Without pauses, for tests. */
  pace: z.enum(['readable', 'instant']).optional(),
});

/** One per process for each pace, because it counts attempts. */
const MODELS = {
  readable: createDemo({ pace: 'readable' }),
  instant: createDemo({ pace: 'instant' }),
};

/** Built in: no key, no network. */
export const demo: ProviderKind = {
  label: 'Demo',
  options: Options,
  providerOptions: () => ({}),
  webSearch: () => undefined,
  baseUrl: () => undefined,
  environment: () => undefined,
  hasKey: () => true,
  build: async ({ options }, modelId) =>
    MODELS[Options.parse(options ?? {}).pace ?? 'readable'](modelId),
  listModels: () => Promise.resolve([{ id: 'demo', name: 'Demo model', context_limit: 200_000 }]),
};
