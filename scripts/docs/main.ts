import { ROOT } from '../checks.ts';
import type { Page } from './page.ts';
import { readPage, readPages } from './pages.ts';
import { PageFailed, runPage } from './run-page.ts';
import { tally, tallyLine } from './tally.ts';
import { parseArgs } from '../parse-args.ts';

const SHOWN_LINES = 30;
const SHOWN_COLUMNS = 300;

const { values, positionals } = parseArgs({
  options: { list: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const pages =
  positionals.length === 0 ? readPages(ROOT) : positionals.map((file) => readPage(ROOT, file));

if (values.list) list(pages);
else for (const page of pages) await show(page);

async function show(page: Page): Promise<void> {
  if (!page.blocks.some((block) => block.language === 'sh' || block.notes.has('run'))) return;
  console.log(`\n== ${page.file}`);
  try {
    await runPage(page, ({ line, text, output, durationMs }) => {
      const seconds = (durationMs / 1000).toFixed(1);
      console.log(`\n-- line ${line}, ${seconds} s\n${text}\n\n${ending(output)}`);
    });
    console.log(`\nok     ${page.file}`);
  } catch (error) {
    if (!(error instanceof PageFailed)) throw error;
    console.log(`\nFAILED ${error.message.split('\n', 1).join()}`);
    process.exitCode = 1;
  }
}

/** The last lines of the output. */
function ending(output: string): string {
  const lines = output.trimEnd().split('\n');
  const left = lines.slice(-SHOWN_LINES).map((line) => line.slice(0, SHOWN_COLUMNS));
  return [...(lines.length > SHOWN_LINES ? ['…'] : []), ...left].join('\n');
}

function list(all: readonly Page[]): void {
  const tallied = tally(all);
  for (const { page, line, reason } of tallied) {
    console.log(`${page}:${line}\t${reason === undefined ? 'run' : `not run: ${reason}`}`);
  }
  console.log(tallyLine(tallied));
}
