import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const brotli = promisify(brotliCompress);
const gz = promisify(gzip);
const COMPRESSIBLE = /\.(?:js|css|svg|html|json|wasm)$/;
/** Below this a second file saves nothing. */
const LEAST_BYTES = 1024;

/** Beside each file its compressed forms, so that the server only has to choose one. */
export function compressed(): Plugin {
  return {
    name: 'chatd:compressed',
    apply: 'build',
    enforce: 'post',
    async generateBundle(_, bundle) {
      await Promise.all(
        Object.values(bundle).map(async (file) => {
          const source = file.type === 'chunk' ? file.code : file.source;
          if (!COMPRESSIBLE.test(file.fileName) || source.length < LEAST_BYTES) return;
          const bytes = Buffer.from(source);
          const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
          const forms = { br: brotli(bytes, { params }), gz: gz(bytes, { level: 9 }) };
          for (const [ending, form] of Object.entries(forms)) {
            this.emitFile({
              type: 'asset',
              fileName: `${file.fileName}.${ending}`,
              source: await form,
            });
          }
        }),
      );
    },
  };
}
