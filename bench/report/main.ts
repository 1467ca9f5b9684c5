/*
 * `npm run figures`: writes the figures and charts of all Markdown files from bench/results. With `--check` it only
 * lists the files that differ.
 */
import { join } from 'node:path';
import { FigureError, outdatedFigures, writeFigures } from './figures.ts';
import { REPORTS } from './reports.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const ROOT = join(import.meta.dirname, '..', '..');

try {
  const outdated = outdatedFigures(ROOT, REPORTS);
  for (const { file } of outdated) console.log(`${values.check ? 'differs' : 'written'}: ${file}`);
  if (outdated.length === 0) console.log('All figures are up to date.');
  else if (values.check) {
    console.log('These files do not match bench/results. Run: npm run figures');
    process.exitCode = 1;
  } else writeFigures(ROOT, outdated);
} catch (error) {
  if (!(error instanceof FigureError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
