import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes SHA256SUMS, which `sha256sum --check` reads. */
export function writeChecksums(folder: string, names: readonly string[]): void {
  const lines = [...names].sort().map((name) => {
    const digest = createHash('sha256').update(readFileSync(join(folder, name)));
    return `${digest.digest('hex')}  ${name}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
}
