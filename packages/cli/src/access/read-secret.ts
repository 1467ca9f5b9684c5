import { text } from 'node:stream/consumers';
import { CommandFailed } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { oneLine } from '../output/terminal-text.ts';

/** A line that is asked for on the terminal, or is all of stdin. Secrets are not shown while they are typed. */
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

/** In raw mode the keys that edit a line are ours to obey. */
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
        if (raw && key === '\u0003') return done(() => reject(stopped()));
        if (raw && key === '\u0004') return done(() => resolve(line));
        if (raw && (key === '\u007F' || key === '\b')) line = line.slice(0, -1);
        else if (raw && key === '\u0015') line = '';
        else line += key;
      }
    };
    stdin.on('data', onData);
  });
}

const stopped = () => new CommandFailed(EXIT.ctrl_c, 'Stopped.');

/** Yes, unless told otherwise by `--yes`. Without a terminal nobody can be asked. */
export async function confirm(context: Context, question: string): Promise<void> {
  if (!context.stdin.isTTY) {
    throw new CommandFailed(
      EXIT.usage,
      `${question} There is no terminal to ask you on.`,
      'Say --yes.',
    );
  }
  const answer = await readLine(context, `${question} [y/N]`, { secret: false });
  if (!/^y(es)?$/i.test(answer)) throw new CommandFailed(EXIT.failed, 'Nothing was done.');
}
