import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { conclude } from '../report/conclude.ts';
import { quantile } from '../report/statistics.ts';
import { type ToolsData, toolsReport } from '../report/tools.ts';
import { openSubjects, type Subject } from './subjects.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

/*
 * The overhead of tools: `execute true` compared with a bare spawn, and `read_file` with a bare read. The variants
 * alternate call by call, so that other load on the machine affects all of them equally.
 */
const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '300' },
    warm: { type: 'string', default: '30' },
    keep: { type: 'boolean', default: false },
  },
});

const directory = await makeTemporaryDirectory();
const opened = await openSubjects(directory);
const { subjects } = opened;
try {
  const taken = new Map<Subject, number[]>(subjects.map((subject) => [subject, []]));
  const calls = Number(options.calls);
  for (let call = -Number(options.warm); call < calls; call++) {
    if (call % 50 === 0) process.stderr.write(`call ${Math.max(0, call)} of ${calls} …\n`);
    for (const subject of subjects) {
      const start = performance.now();
      await subject.once();
      if (call >= 0) taken.get(subject)?.push(performance.now() - start);
    }
  }
  const rows = [...taken].map(([{ work, by }, all]) => ({
    work,
    by,
    p50Ms: quantile(all, 0.5),
    p90Ms: quantile(all, 0.9),
  }));
  const data: ToolsData = { calls, rows };
  await conclude(toolsReport, { data, versions: { bubblewrap: bubblewrapVersion() } }, options);
} finally {
  await opened.close();
  await rm(directory, { recursive: true, force: true });
}

/** `bubblewrap 0.8.0` */
function bubblewrapVersion(): string {
  const printed = execFileSync('bwrap', ['--version'], { encoding: 'utf8' });
  return printed.trim().split(' ').at(-1) ?? 'unknown';
}
