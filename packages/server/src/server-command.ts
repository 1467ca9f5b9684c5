import { VERSION } from './version.ts';
import { serve, SERVE_EXIT, settingsHelp } from './serve.ts';

/** Only the server. The package `chatd` has the full command line. */
const HELP = `chatd ${VERSION}: durable AI agent conversations over HTTP, on PostgreSQL

  chatd serve [flags]     start the server
  chatd machine [flags]   host workspaces on this computer
  chatd --help            this text
  chatd --version         the version

${settingsHelp()}`;

const [command, ...args] = process.argv.slice(2);
switch (command) {
  case 'serve':
    if (args.includes('--help')) process.stdout.write(HELP);
    else process.exitCode = await serve(args);
    break;
  case 'machine': {
    const { MACHINE_HELP, runMachine } = await import('./run-machine.ts');
    if (args.includes('--help')) process.stdout.write(MACHINE_HELP);
    else process.exitCode = await runMachine(args);
    break;
  }
  case '--version':
    process.stdout.write(`chatd ${VERSION}\n`);
    break;
  case '--help':
  case undefined:
    process.stdout.write(HELP);
    break;
  default:
    process.stderr.write(`chatd: unknown command ${JSON.stringify(command)}.\nSee chatd --help.\n`);
    process.exitCode = SERVE_EXIT.usage;
}
