import { StartError } from '../../start-error.ts';
import { type ObjectStorage, StorageUnavailable } from './object-storage.ts';
import { S3Storage } from './s3-storage.ts';

const PROBE = 'chatd-start-test';

/** The storage for new files, tested with an object. Undefined: the database. */
export async function openStorage(
  url: string | undefined,
  onError?: (error: Error) => void,
): Promise<ObjectStorage | undefined> {
  if (url === undefined) return undefined;
  const storage = new S3Storage({ url, onError });
  const bytes = Buffer.from(PROBE);
  try {
    await storage.put(PROBE, bytes);
    const found = await storage.get(PROBE);
    if (found?.equals(bytes) !== true) {
      throw new StorageUnavailable('It did not return the object that was written');
    }
    await storage.delete(PROBE);
    return storage;
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    const { host, pathname } = new URL(url);
    throw new StartError(
      'files_unavailable',
      `The file storage at ${host}${pathname} cannot be used: ${error.message}.`,
      'Check CHATD_FILES_URL: the host, the bucket, the region, and a key that may read, write and delete objects. Percent-encode special characters of the secret.',
      error,
    );
  }
}
