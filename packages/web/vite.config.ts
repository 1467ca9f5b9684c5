import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressed } from './build/compressed.ts';
import { notices } from './build/notices.ts';

/** The chatd server that `npm run dev:web` proxies to. */
const SERVER = process.env['CHATD_URL'] ?? 'http://127.0.0.1:7717';

const { page, worker } = notices();

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), page, compressed()],
  resolve: { conditions: ['chatd-source', 'module', 'browser', 'development|production'] },
  build: {
    // Matches the TypeScript target.
    target: 'es2023',
    modulePreload: { polyfill: false },
    // The Content-Security-Policy allows no data: URLs.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
  },
  worker: { format: 'es', plugins: worker },
  server: { proxy: { '/api': { target: SERVER, ws: true }, '/sign-in': SERVER, '/docs': SERVER } },
});
