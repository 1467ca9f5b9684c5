import { z } from 'zod';
import { Chat } from './chat.ts';
import { SerialId } from './ids.ts';

const place = z.int().nonnegative();

export const SearchMatch = z
  .object({
    message_id: SerialId.optional().describe(
      'Message that the snippet is taken from. Absent if only the title matches.',
    ),
    snippet: z
      .string()
      .describe('About 200 characters of the message, or the title, around the first match.'),
    highlights: z
      .array(
        z.object({
          start: place.describe('Start position.'),
          end: place.describe('End position, exclusive.'),
        }),
      )
      .describe('Positions of the matching words in the snippet, in UTF-16 code units.'),
  })
  .meta({ id: 'SearchMatch', description: 'Where a search matched a chat.' });
export type SearchMatch = z.infer<typeof SearchMatch>;

export const ListedChat = Chat.extend({
  match: SearchMatch.optional().describe('Where the search matched. Absent without `q`.'),
}).meta({ id: 'ListedChat', description: 'A chat in a list.' });
export type ListedChat = z.infer<typeof ListedChat>;
