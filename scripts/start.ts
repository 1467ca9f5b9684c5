import { ensureWebUi } from './web-ui.ts';

// `npm start`: builds the web UI if needed, then runs the server in this process.
await ensureWebUi((line) => console.error(line));
await import('../packages/cli/src/main.ts');
