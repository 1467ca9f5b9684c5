#!/usr/bin/env node
import { runProgram } from './command-line/run-program.ts';
import { program } from './program.ts';
import { VERSION } from './version.ts';

// Whoever reads us may have seen enough: `chatd … | head -1` is no error.
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
