import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The PATH of sandboxes, which may differ from that of the server. */
const FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin'];

export function hasProgram(name: string, path = process.env['PATH'] ?? ''): boolean {
  return [...path.split(delimiter), ...FOLDERS].some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
