import type { Message } from '@chatd/protocol';
import type { Draft } from './draft-storage.ts';

/** The draft that would produce a message. */
export function draftOf({ content }: Pick<Message, 'content'>): Draft {
  return {
    text: content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n'),
    references: content.filter((part) => part.type === 'file-reference'),
    attachments: content.flatMap((part) =>
      part.type === 'file'
        ? [
            {
              fileId: part.file_id,
              name: part.name ?? 'file',
              mediaType: part.media_type,
              size: 0,
            },
          ]
        : [],
    ),
  };
}
