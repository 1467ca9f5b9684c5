import type { HistoryMessage } from '../history/message.ts';

/** A file in a message. A message refers to a file once, even if several parts do. */
export interface FileReference {
  /** The index of the message. */
  readonly at: number;
  readonly message: HistoryMessage;
  readonly id: string;
  /** As in the message. Tool results contain only file IDs. */
  readonly media_type?: string;
  readonly name?: string;
}

export function referencesIn(message: HistoryMessage, at: number): FileReference[] {
  const references = new Map<string, FileReference>();
  for (const part of message.content) {
    if (part.type === 'tool-result') {
      for (const id of part.file_ids ?? []) references.set(id, { at, message, id });
    } else if (part.type === 'file') {
      const { file_id: id, media_type, name } = part;
      const named = { media_type, ...(name !== undefined && { name }) };
      if (!references.has(id)) references.set(id, { at, message, id, ...named });
    }
  }
  return [...references.values()];
}
