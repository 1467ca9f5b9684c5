import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Client } from '@chatd/client';
import type { InputPart } from '@chatd/protocol';
import { CommandFailed } from '../command-failed.ts';
import { EXIT } from '../exit-codes.ts';
import { mediaTypeOf, textOf } from './media-type.ts';

/** The limit of a message is 256 KiB; this leaves room for the prompt. */
const INLINE_BYTES = 150_000;
const LIMIT_BYTES = 10 * 1024 * 1024;

export interface Attachment {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export async function readAttachment(path: string): Promise<Attachment> {
  try {
    return checked({ name: basename(path), bytes: new Uint8Array(await readFile(path)) });
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const why = {
      ENOENT: 'no such file',
      EISDIR: 'it is a directory',
      EACCES: 'permission denied',
    }[code];
    throw new CommandFailed(EXIT.usage, `Cannot attach ${path}: ${why ?? code}.`);
  }
}

export function checked(attachment: Attachment): Attachment {
  if (attachment.bytes.length <= LIMIT_BYTES) return attachment;
  throw new CommandFailed(EXIT.usage, `${attachment.name} exceeds the attachment limit of 10 MiB.`);
}

/** Puts text into the message, where every model can read it, and uploads everything else. */
export function attacher(
  client: Client,
): (attachments: readonly Attachment[]) => Promise<InputPart[]> {
  return async (attachments) => {
    const parts: InputPart[] = [];
    let room = INLINE_BYTES;
    for (const { name, bytes } of attachments) {
      const text = textOf(bytes);
      if (text !== undefined && bytes.length <= room && text !== '') {
        room -= bytes.length;
        const lines = text.replace(/\n$/, '').split('\n').length;
        parts.push({
          type: 'file-reference',
          file_name: name,
          start_line: 1,
          end_line: lines,
          content: text,
        });
        continue;
      }
      const type = text === undefined ? mediaTypeOf(name) : 'text/plain';
      const file = await client.files.upload(bytes, { name, type });
      parts.push({ type: 'file', file_id: file.id });
    }
    return parts;
  };
}
