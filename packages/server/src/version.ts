import { createRequire } from 'node:module';

export const VERSION = (createRequire(import.meta.url)('../package.json') as { version: string })
  .version;

/** By the numbers of a version such as 1.2.3. */
export function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => (text.match(/\d+/g) ?? []).map(Number));
  const at = [0, 1, 2].find((part) => a?.[part] !== b?.[part]);
  return at !== undefined && (a?.[at] ?? 0) < (b?.[at] ?? 0);
}
