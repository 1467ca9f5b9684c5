import type { Report } from './report.ts';
import { keepResult, type Measured, takenNow } from './result.ts';

/** Exit status of a benchmark that could not run here, which is no failure. */
export const SKIPPED = 3;

/** Prints what was measured as it stands in the docs, and keeps it when asked to. */
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
  console.error(`\nkept in bench/results/${report.result}.json; npm run figures writes it`);
}

/** What was typed, with the folders of this machine left out. */
function typedCommand(command: string): string {
  const [script = command] = command.split(' -- ');
  const args = process.argv.slice(2).map((argument) => argument.replace(/(?<=^|=)\/.*/, 'DIR'));
  return [script, ...(args.length === 0 ? [] : ['--', ...args])].join(' ');
}
