import { text } from 'node:stream/consumers';
import { CommandFailed } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { oneLine } from '../output/terminal-text.ts';

/** Prompts for a line. Without a terminal, reads all of stdin. Secrets are not echoed. */
export async function readLine(
  { stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>,
  question: string,
  { secret }: { readonly secret: boolean },
): Promise<string> {
  if (!stdin.isTTY) return (await text(stdin)).trim();
  stderr.write(`${oneLine(question)}: `);
  if (secret) stdin.setRawMode(true);
  stdin.setEncoding('utf8').resume();
  try {
    return (await typedLine(stdin, secret)).trim();
  } finally {
    if (secret) stdin.setRawMode(false);
    stdin.pause();
    if (secret) stderr.write('\n');
  }
}

/** In raw mode the terminal does not process editing keys. */
function typedLine(stdin: NodeJS.ReadStream, raw: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = '';
    const done = (finish: () => void) => {
      stdin.off('data', onData);
      finish();
    };
    const onData = (chunk: string) => {
      for (const key of chunk) {
        if (key === '\r' || key === '\n') return done(() => resolve(line));
        if (raw && key === '\u0003') return done(() => reject(canceled()));
        if (raw && key === '\u0004') return done(() => resolve(line));
        if (raw && (key === '\u007F' || key === '\b')) line = line.slice(0, -1);
        else if (raw && key === '\u0015') line = '';
        else line += key;
      }
    };
    stdin.on('data', onData);
  });
}

const canceled = () => new CommandFailed(EXIT.ctrl_c, 'Canceled.');

/** Fails unless the user answers yes. Commands skip it with `--yes`. */
export async function confirm(context: Context, question: string): Promise<void> {
  if (!context.stdin.isTTY) {
    throw new CommandFailed(
      EXIT.usage,
      `Confirmation required: ${question}`,
      'Run this in a terminal, or add --yes.',
    );
  }
  const answer = await readLine(context, `${question} [y/N]`, { secret: false });
  if (!/^y(es)?$/i.test(answer)) throw new CommandFailed(EXIT.failed, 'Canceled.');
}
