import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const brotli = promisify(brotliCompress);
const gz = promisify(gzip);
const COMPRESSIBLE = /\.(?:js|css|svg|html|json|wasm)$/;
/** Smaller files are not compressed. */
const LEAST_BYTES = 1024;

/**
 * Writes Brotli and gzip versions beside each file, for the server to choose from. Reads the written files: in earlier
 * hooks, dynamic imports still contain placeholders.
 */
export function compressed(): Plugin {
  return {
    name: 'chatd:compressed',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      if (dir === undefined) throw new Error('The web UI must be built into a folder.');
      const names = Object.keys(bundle).filter((name) => COMPRESSIBLE.test(name));
      await Promise.all(
        names.map(async (name) => {
          const bytes = await readFile(join(dir, name));
          if (bytes.length < LEAST_BYTES) return;
          const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
          const forms = { br: brotli(bytes, { params }), gz: gz(bytes, { level: 9 }) };
          for (const [ending, form] of Object.entries(forms)) {
            await writeFile(join(dir, `${name}.${ending}`), await form);
          }
        }),
      );
    },
  };
}
