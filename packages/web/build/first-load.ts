import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Size of the scripts that the page loads before a chat is opened, compressed with gzip. */
export function firstLoadBytes(webFolder: string): number {
  const html = readFileSync(join(webFolder, 'index.html'), 'utf8');
  const scripts = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(
    ([, name]) => name ?? '',
  );
  // Small files are not compressed.
  const sent = (name: string) =>
    [`${name}.gz`, name].map((file) => join(webFolder, file)).find((file) => existsSync(file)) ??
    '';
  return scripts.reduce((sum, name) => sum + statSync(sent(name)).size, 0);
}
