import { command, type Run } from '../command-line/command.ts';
import { loadServer } from './server-package.ts';

export const machine = (run: Run) =>
  command('machine', 'Host workspaces on this computer', {
    raw: true,
    examples: [
      [
        'chatd machine --url https://chat.example.org --data-dir /var/lib/chatd-machine',
        'Connect with the token in CHATD_MACHINE_TOKEN',
      ],
    ],
  })
    .argument('[options...]')
    .action(
      run(async ({ print }, args) => {
        const server = await loadServer(() => import('@chatd/server/machine'));
        if (args.includes('--help') || args.includes('-h')) {
          print(server.MACHINE_HELP);
          return server.MACHINE_EXIT.ok;
        }
        return await server.runMachine(args);
      }),
    );
