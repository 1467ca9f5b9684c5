import { ProviderError } from '@chatd/loop';
import type { Intent } from '../intent.ts';
import { script } from '../script.ts';

export const failForGood: Intent = {
  try: 'fail for good',
  shows: 'an error that ends the turn; the next message goes on',
  matches: (said) =>
    /\bfail\w*\b.*\b(for good|permanently|forever|finally|completely)\b|\bpermanent (error|failure)\b/is.test(
      said,
    ),
  begin: () => ({
    ...script(),
    // Every attempt fails: the count of attempts never gets past the list.
    failures: Array.from({ length: 1_000 }, () => ({
      error: new ProviderError({
        kind: 'generic',
        message:
          'The demo model failed for good, because you asked it to. Send another message to go on.',
      }),
    })),
  }),
};
