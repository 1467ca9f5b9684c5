import { command, type Run } from '../command-line/command.ts';
import { loadServer } from './server-package.ts';

export const serve = (run: Run) =>
  command('serve', 'Start the server', {
    raw: true,
    examples: [['chatd serve --listen 127.0.0.1:7718', 'Listen on another port']],
  })
    .argument('[options...]')
    .action(
      run(async ({ print }, args) => {
        const server = await loadServer(() => import('@chatd/server/serve'));
        if (args.includes('--help') || args.includes('-h')) {
          print(`Start the server.\n\nUsage: chatd serve [options]\n\n${server.settingsHelp()}`);
          return server.SERVE_EXIT.ok;
        }
        return await server.serve(args);
      }),
    );
