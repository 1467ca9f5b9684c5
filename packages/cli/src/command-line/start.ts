import { program } from '../program.ts';
import { VERSION } from '../version.ts';
import { runProgram } from './run-program.ts';

// A reader may close the pipe early: `chatd … | head -1` is no error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(process.exitCode ?? 0);
  });
}

process.exitCode = await runProgram(program, {
  args: process.argv.slice(2),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  version: VERSION,
});
