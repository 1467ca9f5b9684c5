import { PassThrough, Readable } from 'node:stream';
import { runProgram } from '../../src/command-line/run-program.ts';
import { createProgram } from '../../src/program.ts';
import { type Ended, environment } from './command.ts';

/** Runs `chatd …` in this process, without a terminal. */
export async function chatd(
  args: readonly string[],
  { env = {}, input = '' }: { env?: Readonly<Record<string, string>>; input?: string } = {},
): Promise<Ended> {
  const stdout = new Collector();
  const stderr = new Collector();
  const code = await runProgram(createProgram, {
    args,
    env: environment(env),
    // As much of the streams as commands use.
    stdin: Readable.from([Buffer.from(input)]) as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    version: '1.2.3',
  });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class Collector extends PassThrough {
  text = '';
  readonly isTTY = false;

  constructor() {
    super();
    this.setEncoding('utf8').on('data', (text: string) => (this.text += text));
  }
}
