import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import { BackupError } from './backup-error.ts';

/** The entries of a backup, one after the other; each must be read or left before the next. */
export async function* readArchive(source: Readable): AsyncGenerator<ParsedTarEntry> {
  const plain = createGunzip();
  source.on('error', (error) => plain.destroy(error));
  source.pipe(plain);
  const bytes = Readable.toWeb(plain) as unknown as ReadableStream<Uint8Array>;
  try {
    const entries = bytes.pipeThrough(createTarDecoder({ strict: true }));
    for await (const entry of entries) yield entry;
  } finally {
    source.destroy();
    plain.destroy();
  }
}

export async function readText({ body }: ParsedTarEntry): Promise<string> {
  return await new Response(body).text();
}

/** What gzip and tar say about bytes that are not theirs, in words. It comes to whoever reads at the moment. */
export function explainDamage(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BackupError) return error;
  const code = 'code' in error ? String(error.code) : '';
  const isDamage =
    code.startsWith('Z_') ||
    code === 'ERR_STREAM_PREMATURE_CLOSE' ||
    /\btar\b/i.test(error.message);
  if (!isDamage) return error;
  return new BackupError(
    'The backup is damaged or cut off, or the file is none.',
    'Copy it again, or take another one. Nothing was restored.',
    error,
  );
}
