import { ProviderError } from '@chatd/loop';
import { z } from 'zod';
import type { ProviderKind } from './kind.ts';

/** Built in: no key, no network. */
export const demo: ProviderKind = {
  label: 'Demo',
  options: z.strictObject({}),
  baseUrl: () => undefined,
  hasKey: () => true,
  build() {
    throw new ProviderError({ kind: 'config', message: 'The demo model is not there yet.' });
  },
};
