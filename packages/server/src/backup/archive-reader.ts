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
  } catch (error) {
    throw isDamage(error) ? damaged(error) : error;
  } finally {
    source.destroy();
    plain.destroy();
  }
}

export async function readText({ body }: ParsedTarEntry): Promise<string> {
  return await new Response(body).text();
}

/** What gzip and tar say about bytes that are not theirs. */
function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return (
    code.startsWith('Z_') || code === 'ERR_STREAM_PREMATURE_CLOSE' || /tar/i.test(error.message)
  );
}

const damaged = (cause: unknown) =>
  new BackupError(
    'The backup is damaged or cut off, or the file is none.',
    'Copy it again, or take another one.',
    cause,
  );
