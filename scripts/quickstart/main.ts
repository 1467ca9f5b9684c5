import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepResult } from '../../bench/report/result.ts';
import type { QuickstartData } from '../../bench/report/quickstart.ts';
import { ROOT } from '../checks.ts';
import { readPage } from '../docs/pages.ts';
import { makeBareMachine } from './bare-machine.ts';
import { firstAnswer } from './first-answer.ts';
import { start, stop } from './stages.ts';
import { parseArgs } from '../parse-args.ts';

/*
 * `npm run quickstart`: times the quick start of the README on a fresh clone with an empty npm cache, until the demo model
 * has answered in a browser.
 */
const { values } = parseArgs({
  options: { keep: { type: 'boolean', default: false }, node: { type: 'string' } },
});

const first = readPage(ROOT, 'README.md').blocks.find(({ language }) => language === 'sh');
if (first === undefined) throw new Error('README.md has no sh block.');
const base = mkdtempSync(join(tmpdir(), 'chatd-quickstart-'));
// As root, PostgreSQL runs as another user, which must be able to enter the directory.
chmodSync(base, 0o711);
try {
  const machine = makeBareMachine(base, values.node);
  console.log(`Node ${machine.node}, fresh clone: ${first.text}`);
  const started = await start(first.text, machine);
  const since = performance.now();
  try {
    await firstAnswer(started.signInUrl);
  } finally {
    await stop(started);
  }
  const answered = (performance.now() - since) / 1000;
  const seconds = { ...started.seconds, 'sign-in and first answer': answered };
  const total = Object.values(seconds).reduce((sum, one) => sum + one, 0);
  for (const [stage, one] of Object.entries({ ...seconds, total })) {
    console.log(`${one.toFixed(1).padStart(7)} s  ${stage}`);
  }
  if (values.keep) {
    const data: QuickstartData = { node: machine.node, seconds, total };
    await keepResult('quickstart', { command: 'npm run quickstart -- --keep', data });
  }
} finally {
  rmSync(base, { recursive: true, force: true, maxRetries: 10 });
}
