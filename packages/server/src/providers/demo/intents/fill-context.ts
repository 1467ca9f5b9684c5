import type { Intent } from '../intent.ts';
import { say, script, think } from '../script.ts';

export const fillContext: Intent = {
  try: 'fill the context',
  shows: 'a context that is nearly full, so that the chat is summarised and goes on',
  matches: (said) =>
    /\b(fill|overflow|exhaust)\w*\b.*\bcontext\b|\bcompact(ion|ing)?\b|\bcontext\b.*\bfull\b/is.test(
      said,
    ),
  begin: () => ({
    ...script(
      think('I report nearly as many tokens as fit, and chatd does the rest.'),
      say(
        'I pretend that this conversation has filled 99 % of my context. What has been said is now summarised, and I go on from the summary.',
      ),
    ),
    fillsContext: true,
  }),
};
