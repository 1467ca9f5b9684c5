import { createProgram } from '../program.ts';
import { VERSION } from '../version.ts';
import { runProgram } from './run-program.ts';

// The reader of a pipe may close it early, as in `chatd … | head -1`.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(process.exitCode ?? 0);
  });
}

process.exitCode = await runProgram(createProgram, {
  args: process.argv.slice(2),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  version: VERSION,
});
