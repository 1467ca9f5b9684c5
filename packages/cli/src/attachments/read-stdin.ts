import { fstatSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import type { Context } from '../context.ts';
import { type Attachment, checked } from './attach.ts';

const SAY_AFTER_MS = 2000;

/** Whether somebody feeds us: a pipe or a file, and not a terminal or nothing. */
export function isFed(stdin: NodeJS.ReadStream): boolean {
  if (stdin.isTTY) return false;
  try {
    const about = fstatSync((stdin as { readonly fd?: number }).fd ?? 0);
    return about.isFIFO() || about.isFile() || about.isSocket();
  } catch {
    return false;
  }
}

/** All of stdin; undefined when there is nothing in it. Says that it waits, so that nobody wonders. */
export async function readStdin(context: Context): Promise<Attachment | undefined> {
  const hint = setTimeout(
    () => context.say('chatd: reading stdin until it ends; --no-stdin leaves it alone'),
    SAY_AFTER_MS,
  );
  try {
    const bytes = new Uint8Array(await buffer(context.stdin));
    return bytes.length === 0 ? undefined : checked({ name: 'stdin', bytes });
  } finally {
    clearTimeout(hint);
  }
}
