import type { Intent } from '../intent.ts';
import { say, script, think } from '../script.ts';

export const fillContext: Intent = {
  try: 'fill the context',
  shows: 'a nearly full context, so that the chat is compacted and continues',
  matches: (said) =>
    /\b(fill|overflow|exhaust)\w*\b.*\bcontext\b|\bcompact(ion|ing)?\b|\bcontext\b.*\bfull\b/is.test(
      said,
    ),
  begin: () => ({
    ...script(
      think("I'll report that the context is nearly full, so that chatd compacts it."),
      say(
        'I report that this conversation fills 99 % of my context. chatd now summarizes it, and I continue from the summary.',
      ),
    ),
    fillsContext: true,
  }),
};
