import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const brotli = promisify(brotliCompress);
const gz = promisify(gzip);
const COMPRESSIBLE = /\.(?:js|css|svg|html|json|wasm)$/;
/** Below this a second file saves nothing. */
const LEAST_BYTES = 1024;

/**
 * Beside each file its compressed forms, so that the server only has to choose one. Of what was written: while the
 * bundle is made, imports that are loaded later still hold marks that Vite replaces at the very end.
 */
export function compressed(): Plugin {
  return {
    name: 'chatd:compressed',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      if (dir === undefined) throw new Error('the web UI is built into a folder');
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
