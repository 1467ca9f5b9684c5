import { createHash } from 'node:crypto';

/*
 * Git knows whether a file is executable. Other permissions are in a second tree, in which the content of a file is its
 * mode in octal digits. Files with 0644 or 0755 are not in it.
 */

const ALL = 0o777;
const PLAIN = 0o644;
const EXECUTABLE = 0o755;

export const permissions = (mode: number) => mode & ALL;
export const isUsual = (mode: number) => mode === PLAIN || mode === EXECUTABLE;
export const octal = (mode: number) => mode.toString(8).padStart(3, '0');

const blobOf = (mode: number) =>
  createHash('sha1')
    .update(`blob 3\0${octal(mode)}`)
    .digest('hex');

const MODES = new Map(Array.from({ length: ALL + 1 }, (_, mode) => [blobOf(mode), mode] as const));

/** For `git update-index --index-info`. */
export const modeEntry = (path: string, mode: number) => `100644 ${blobOf(mode)} 0\t${path}`;

/** From `git ls-tree -r -z`. */
export function parseModes(entries: readonly string[]): Map<string, number> {
  const modes = new Map<string, number>();
  for (const entry of entries) {
    const found = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(entry);
    const mode = MODES.get(found?.[1] ?? '');
    if (mode !== undefined) modes.set(found?.[2] ?? '', mode);
  }
  return modes;
}

/** Octal permissions, a colon, and the path: what to set after git has written the changed files with their usual ones. */
export function modesToSet(
  present: ReadonlyMap<string, number>,
  target: ReadonlyMap<string, number>,
  changed: ReadonlySet<string>,
): string[] {
  const found: string[] = [];
  for (const [path, mode] of target) {
    if (changed.has(path) || present.get(path) !== mode) found.push(`${octal(mode)}:${path}`);
  }
  for (const [path, mode] of present) {
    if (target.has(path) || changed.has(path)) continue;
    found.push(`${octal((mode & 0o100) === 0 ? PLAIN : EXECUTABLE)}:${path}`);
  }
  return found;
}
