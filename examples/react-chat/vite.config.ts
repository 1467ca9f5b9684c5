import { defaultClientConditions, defineConfig } from 'vite';

const { CHATD_URL = 'http://127.0.0.1:7717', CHATD_TOKEN = '' } = process.env;

export default defineConfig({
  // Resolves chatd packages to their sources. Only needed in this repository.
  resolve: { conditions: ['chatd-source', ...defaultClientConditions] },
  server: {
    // Adds the token, so that the page does not contain it.
    proxy: {
      '/api': {
        target: CHATD_URL,
        changeOrigin: true,
        headers: { authorization: `Bearer ${CHATD_TOKEN}` },
      },
    },
  },
});
