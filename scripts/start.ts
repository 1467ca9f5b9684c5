import { ensureWebUi } from './web-ui.ts';

// `npm start`: what a checkout has not built yet, and then the server, in this very process.
await ensureWebUi((line) => console.error(line));
await import('../packages/cli/src/main.ts');
