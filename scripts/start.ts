import { ensureWebUi } from './web-ui.ts';

// `npm start`: builds the web UI if needed, then runs the server in this process. With an external database, on all cores.
if (process.env['CHATD_DATABASE_URL']) process.env['CHATD_PROCESSES'] ||= 'auto';
await ensureWebUi((line) => console.error(line));
await import('../packages/cli/src/main.ts');
