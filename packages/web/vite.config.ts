import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressed } from './build/compressed.ts';
import { notices } from './build/notices.ts';

/** Where `npm run dev:web` finds a running chatd. */
const SERVER = process.env['CHATD_URL'] ?? 'http://127.0.0.1:7717';

const { page, worker } = notices();

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), page, compressed()],
  resolve: { conditions: ['chatd-source', 'module', 'browser', 'development|production'] },
  build: {
    // What the sources are typed for. Older browsers are told so by the server's page.
    target: 'es2023',
    modulePreload: { polyfill: false },
    // A data: URL is one more thing that the Content-Security-Policy would have to allow.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
  },
  worker: { format: 'es', plugins: worker },
  server: { proxy: { '/api': { target: SERVER, ws: true }, '/sign-in': SERVER, '/docs': SERVER } },
});
