import type { Report } from './report.ts';
import { keepResult, type Measured, takenNow } from './result.ts';

/** Prints the report and, with `keep`, stores the result. */
export async function conclude(
  report: Report,
  measured: Omit<Measured, 'command'>,
  { keep }: { readonly keep: boolean },
): Promise<void> {
  const taken = { ...measured, command: typedCommand(report.command) };
  const { blocks = {} } = report.render(takenNow(taken));
  for (const block of Object.values(blocks)) console.log(`\n${block}`);
  if (!keep) return;
  await keepResult(report.result, taken);
  console.error(
    `\nstored in bench/results/${report.result}.json; run npm run figures to update the docs`,
  );
}

/** The command line, with absolute paths replaced by `DIR`. */
export function typedCommand(command: string): string {
  const [script = command] = command.split(' -- ');
  const args = process.argv
    .slice(2)
    .map((argument) => (argument === '' ? "''" : argument.replace(/(?<=^|=)\/.*/, 'DIR')));
  return [script, ...(args.length === 0 ? [] : ['--', ...args])].join(' ');
}
