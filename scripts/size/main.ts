import { readFileSync, writeFileSync } from 'node:fs';
import { PAGE, replaceSection, sizeTables, slowestTable } from './page.ts';
import { sizeOf } from './revision-size.ts';
import { slowestFiles, stages } from './slowest-files.ts';
import { parseArgs } from '../parse-args.ts';

/**
 * `npm run size`: lines of each package and dependencies, at the last release and now. `--tests FILE` adds the duration
 * and the slowest files in the output of `npm test`. `--keep` updates docs/size.md.
 */
const { values: options } = parseArgs({
  options: {
    from: { type: 'string', default: 'a3389c27' },
    to: { type: 'string', default: 'HEAD' },
    tests: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});
const SLOWEST = 10;

const sections = new Map([['size', sizeTables(sizeOf(options.from), sizeOf(options.to))]]);
if (options.tests !== undefined) {
  const output = readFileSync(options.tests, 'utf8');
  sections.set('slowest', slowestTable(stages(output), slowestFiles(output, SLOWEST)));
}
for (const text of sections.values()) console.log(`${text}\n`);
if (options.keep) {
  let page = readFileSync(PAGE, 'utf8');
  for (const [section, text] of sections) page = replaceSection(page, section, text);
  writeFileSync(PAGE, page);
}
