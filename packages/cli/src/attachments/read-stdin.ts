import { fstatSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import type { Context } from '../context.ts';
import { type Attachment, checked } from './attach.ts';

const HINT_AFTER_MS = 2000;

/** Whether stdin is a pipe or a file. */
export function hasInput(stdin: NodeJS.ReadStream): boolean {
  if (stdin.isTTY) return false;
  try {
    const stat = fstatSync((stdin as { readonly fd?: number }).fd ?? 0);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    return false;
  }
}

/** All of stdin; undefined if it is empty. Prints a hint if the end of the input takes long. */
export async function readStdin(context: Context): Promise<Attachment | undefined> {
  const hint = setTimeout(
    () => context.log('chatd: reading stdin until it ends. Use --no-stdin to skip it.'),
    HINT_AFTER_MS,
  );
  try {
    const bytes = new Uint8Array(await buffer(context.stdin));
    return bytes.length === 0 ? undefined : checked({ name: 'stdin', bytes });
  } finally {
    clearTimeout(hint);
  }
}
