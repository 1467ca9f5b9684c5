import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Private files of these scripts; ignored by git. */
export const OWN_DIRECTORY = join(ROOT, '.node');
