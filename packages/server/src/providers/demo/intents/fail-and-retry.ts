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
    'two errors that pass (a rate limit, then an overload in mid-sentence), and the answer after them',
  matches: (said) =>
    /^\W*(please )?fail\b|\bfail\b.*\b(again|twice)\b|\bretry\b|\bflaky\b/is.test(said),
  begin: () => ({
    ...script(
      think('Third time lucky.'),
      say(
        'That was the third attempt. The first was refused for its rate, the second broke off when I seemed overloaded; both were tried again by themselves, and what the second had already said was taken back.',
      ),
    ),
    failures: [
      { error: refusal(429, 'The demo model limits its rate, as you asked.') },
      {
        error: refusal(529, 'The demo model is overloaded, as you asked.'),
        after: 'This half sentence is going to be',
      },
    ],
  }),
};
