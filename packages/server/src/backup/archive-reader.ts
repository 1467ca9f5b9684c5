import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import { BackupError } from './backup-error.ts';

/** Larger than the default, because each chunk passes through several streams. */
const CHUNK_BYTES = 1024 * 1024;

/** The entries of a backup in sequence. Each must be consumed or skipped before the next. */
export async function* readArchive(source: Readable): AsyncGenerator<ParsedTarEntry> {
  const plain = createGunzip({ chunkSize: CHUNK_BYTES });
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

/** Translates errors of gzip and tar, which the current reader receives. */
export function explainDamage(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BackupError) return error;
  const code = 'code' in error ? String(error.code) : '';
  const isDamage =
    code.startsWith('Z_') ||
    code === 'ERR_STREAM_PREMATURE_CLOSE' ||
    /\btar\b/i.test(error.message);
  if (!isDamage) return error;
  return new BackupError(
    'The backup is damaged or truncated, or the file is not a backup.',
    'Copy the file again, or use another backup. Nothing was restored.',
    error,
  );
}
