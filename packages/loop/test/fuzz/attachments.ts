import type { HistoryPart, MediaFile, MemoryFiles } from '@chatd/loop';
import { pdf, png, smallImage } from '../support/images.ts';
import type { Attachment } from './conversation.ts';

const FILES: Record<Exclude<Attachment, 'nothing'>, () => MediaFile> = {
  image: () => ({ data: png(), media_type: 'image/png', name: 'a.png' }),
  'mistyped image': () => ({ data: smallImage('image/jpeg'), media_type: 'image/png' }),
  'broken image': () => ({ data: png().subarray(0, 20), media_type: 'image/png' }),
  'huge image': () => ({ data: png(9_000, 1), media_type: 'image/png' }),
  text: () => ({ data: Buffer.from('a,b'), media_type: 'text/csv', name: 'a.csv' }),
  pdf: () => ({ data: pdf(), media_type: 'application/pdf', name: 'a.pdf' }),
  unknown: () => ({ data: Buffer.from([1, 2, 3]), media_type: 'application/x-unknown' }),
};

export async function attachment(
  kind: Attachment,
  files: MemoryFiles,
  ids: string[],
): Promise<HistoryPart[]> {
  if (kind === 'nothing') return [];
  const made = FILES[kind]();
  const file_id = await files.save(made);
  ids.push(file_id);
  const { media_type, name } = made;
  return [{ type: 'file', file_id, media_type, ...(name !== undefined && { name }) }];
}
