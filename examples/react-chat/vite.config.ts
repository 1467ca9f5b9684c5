import { defaultClientConditions, defineConfig } from 'vite';

const { CHATD_URL = 'http://127.0.0.1:7717', CHATD_TOKEN = '' } = process.env;

export default defineConfig({
  // In this repository our packages are used as they are written; elsewhere leave this out.
  resolve: { conditions: ['chatd-source', ...defaultClientConditions] },
  server: {
    // The page asks its own origin, and the token stays here.
    proxy: {
      '/api': {
        target: CHATD_URL,
        changeOrigin: true,
        headers: { authorization: `Bearer ${CHATD_TOKEN}` },
      },
    },
  },
});
