import { action } from '../command-line/command.ts';
import { loadServer } from './server-package.ts';

export const serve = action({
  name: 'serve',
  summary: 'Start the server',
  verbatim: true,
  examples: [['chatd serve --listen 127.0.0.1:7718', 'on another port']],
  async run({ positionals, context }) {
    // Only here: the other commands start without a server in memory.
    const server = await loadServer(() => import('@chatd/server/serve'));
    if (positionals.includes('--help') || positionals.includes('-h')) {
      context.print(
        `Start the server.\n\nUsage: chatd serve [OPTIONS]\n\n${server.settingsHelp()}`,
      );
      return server.SERVE_EXIT.ok;
    }
    return await server.serve(positionals);
  },
});
