import { openStorage } from '../store/files/open-storage.ts';
import { type Check, fromError, ok } from './finding.ts';

const NAME = 'file storage';

/** Writes, reads and deletes an object, as a server does at startup. */
export const fileStorageCheck: Check = {
  name: NAME,
  async look({ config }) {
    if (config.filesUrl === undefined) return [ok(NAME, 'Files are stored in the database.')];
    try {
      await openStorage(config.filesUrl);
      return [ok(NAME, `${new URL(config.filesUrl).host} stores and returns files.`)];
    } catch (error) {
      return [fromError(NAME, error)];
    }
  },
};
