import { APICallError } from '@ai-sdk/provider';
import type { Intent } from '../intent.ts';
import { say, script, think } from '../script.ts';

const refusal = (statusCode: number, message: string): APICallError =>
  new APICallError({
    message,
    url: 'demo:',
    requestBodyValues: {},
    statusCode,
    responseHeaders: {},
    isRetryable: true,
  });

export const failAndRetry: Intent = {
  try: 'fail and retry',
  shows:
    'two temporary errors (a rate limit, then an overload in mid-sentence), and the response after them',
  matches: (said) =>
    /^\W*(please )?fail\b|\bfail\b.*\b(again|twice)\b|\bretry\b|\bflaky\b/is.test(said),
  begin: () => ({
    ...script(
      think('Third time lucky.'),
      say(
        'That was the third attempt. The first hit a rate limit, the second was cut off by an overload. Both were retried automatically, and the partial text of the second was discarded.',
      ),
    ),
    failures: [
      { error: refusal(429, 'The demo model is rate limited, as you asked.') },
      {
        error: refusal(529, 'The demo model is overloaded, as you asked.'),
        after: 'This half sentence is going to be',
      },
    ],
  }),
};
