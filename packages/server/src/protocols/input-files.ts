import { Content, type InputPart } from '@chatd/protocol';
import { Refused } from '../chat/refused.ts';
import type { StoredPart } from '../chat/row.ts';
import { completeContent } from '../store/files/message-content.ts';
import type { Queryable } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import { decodeFileUrl } from './file-url.ts';

/** A file inside a request. */
interface NewFile {
  readonly type: 'new-file';
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** A part of a posted message, before its files are stored. */
export type PostedPart = InputPart | NewFile;

/** A file by its URL: one of this server, or a data URL. Undefined for other URLs: chatd does not fetch them. */
export function filePart(url: string, name: string, mediaType?: string): PostedPart | undefined {
  const file = decodeFileUrl(url);
  if (file === undefined) return undefined;
  if ('fileId' in file) return { type: 'file', file_id: file.fileId };
  return { type: 'new-file', name, mediaType: mediaType ?? file.mediaType, bytes: file.bytes };
}

/** Stores the files of a message. A file whose message is refused is purged as unused. */
export async function storeFiles(
  { files }: Pick<Store, 'files'>,
  userId: string,
  parts: readonly PostedPart[],
): Promise<InputPart[]> {
  const stored: InputPart[] = [];
  for (const part of parts) {
    if (part.type !== 'new-file') stored.push(part);
    else {
      const { bytes: data, mediaType: media_type, name } = part;
      const { id } = await files.store(userId, { data, media_type, name });
      stored.push({ type: 'file', file_id: id });
    }
  }
  return stored;
}

/** The content of a posted message as stored. `refuse` gets the reason why it is not valid. */
export async function storedContent(
  db: Queryable,
  userId: string,
  parts: readonly InputPart[],
  {
    chatId,
    refuse = () => new Refused('invalid_content', 'The message is empty or blank.'),
  }: { readonly chatId?: string | undefined; readonly refuse?: (reason: string) => Refused } = {},
): Promise<StoredPart[]> {
  const content = Content.safeParse(parts);
  if (!content.success) throw refuse(content.error.issues[0]?.message ?? 'is not valid');
  return await completeContent(db, userId, content.data, chatId);
}
