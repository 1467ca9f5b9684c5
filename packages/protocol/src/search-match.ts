import { z } from 'zod';
import { Chat } from './chat.ts';
import { SerialId } from './ids.ts';

const place = z.int().nonnegative();

export const SearchMatch = z
  .object({
    message_id: SerialId.optional().describe(
      'The message that the snippet is cut from. Absent if only the title matches.',
    ),
    snippet: z
      .string()
      .describe('About 200 characters of the message, or the title, around the first match.'),
    highlights: z
      .array(
        z.object({
          start: place.describe('Position of the first character.'),
          end: place.describe('Position behind the last character.'),
        }),
      )
      .describe('Positions of the matching words in the snippet, in UTF-16 code units.'),
  })
  .meta({ id: 'SearchMatch', description: 'Why a search found a chat.' });
export type SearchMatch = z.infer<typeof SearchMatch>;

export const ListedChat = Chat.extend({
  match: SearchMatch.optional().describe('Why the search found the chat. Absent without `q`.'),
}).meta({ id: 'ListedChat', description: 'A chat in a list.' });
export type ListedChat = z.infer<typeof ListedChat>;
