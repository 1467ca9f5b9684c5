import { ProviderError } from '@chatd/loop';
import type { Intent } from '../intent.ts';
import { script } from '../script.ts';

export const failForGood: Intent = {
  try: 'fail for good',
  shows: 'an error that ends the turn; the chat continues with your next message',
  matches: (said) =>
    /\bfail\w*\b.*\b(for good|permanently|forever|finally|completely)\b|\bpermanent (error|failure)\b/is.test(
      said,
    ),
  begin: () => ({
    ...script(),
    // Every attempt fails: the count never gets past the list.
    failures: Array.from({ length: 1_000 }, () => ({
      error: new ProviderError({
        kind: 'generic',
        message:
          'The demo model failed permanently, as you asked. Send another message to continue.',
      }),
    })),
  }),
};
