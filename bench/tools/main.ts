import { cpus } from 'node:os';
import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { makeTemporaryDirectory } from '../../packages/server/test/support/temporary-directory.ts';
import { openSubjects, type Subject } from './subjects.ts';

/*
 * What a tool costs beyond the work itself: `execute true` beside a bare spawn, `read_file` beside a bare read. The
 * ways take turns call by call, so that whatever else the machine does hits all alike.
 */
const { values: options } = parseArgs({
  options: { calls: { type: 'string', default: '300' }, warm: { type: 'string', default: '30' } },
});

const directory = await makeTemporaryDirectory();
const opened = await openSubjects(directory);
const { subjects } = opened;
try {
  const taken = new Map<Subject, number[]>(subjects.map((subject) => [subject, []]));
  for (let call = -Number(options.warm); call < Number(options.calls); call++) {
    for (const subject of subjects) {
      const start = performance.now();
      await subject.once();
      if (call >= 0) taken.get(subject)?.push(performance.now() - start);
    }
  }
  print(taken);
} finally {
  await opened.close();
  await rm(directory, { recursive: true, force: true });
}

function print(taken: ReadonlyMap<Subject, readonly number[]>): void {
  const [cpu] = cpus();
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpu?.model ?? ''}, ${options.calls} calls each\n`,
  );
  console.log('| work | by | p50 ms | p90 ms | ÷ bare | beyond bare, p50 ms |');
  console.log('| --- | --- | ---: | ---: | ---: | ---: |');
  let bare = 0;
  for (const [{ work, by }, all] of taken) {
    const p50 = quantile(all, 0.5);
    if (by === 'bare spawn' || by === 'bare read') bare = p50;
    const ratio = (p50 / bare).toFixed(2);
    const beyond = (p50 - bare).toFixed(2);
    const p90 = quantile(all, 0.9).toFixed(2);
    console.log(`| ${work} | ${by} | ${p50.toFixed(2)} | ${p90} | ${ratio} | ${beyond} |`);
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}
