import type { HistorySubject } from './history-sample.ts';
import type { Scenario } from './scenario.ts';
import type { SubjectName } from './subject.ts';
import { compareHistories } from './compare-histories.ts';
import { conclude } from '../report/conclude.ts';
import { type LoopData, loopReport } from '../report/loop.ts';
import { installedVersions } from '../report/versions.ts';
import { compareStreams } from './compare-streams.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

/*
 * Reads the same scripted HTTP stream with `doStream`, the chatd loop and `streamText` of the AI SDK. Each sample runs in
 * a separate process, with the provider in another one. See bench/README.md.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    /** Only scenarios whose name contains this text, such as `burst, 200`; `history` for long chats. */
    only: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
  },
});

const [role, ...rest] = positionals;

if (role === 'provider') {
  (await import('./provider.ts')).serve();
} else if (role === 'measure') {
  const [subject, scenario, host] = rest.map((argument) => JSON.parse(argument) as unknown);
  const { measure } = await import('./measure.ts');
  report(await measure(subject as SubjectName, scenario as Scenario, host as string));
} else if (role === 'history') {
  const { measureHistory } = await import('./history.ts');
  report(await measureHistory(rest[0] as HistorySubject, Number(rest[1])));
} else {
  const rounds = Number(values.rounds);
  const { only, keep } = values;
  const none = { streams: [], providerShare: 0 };
  const data: LoopData = {
    rounds,
    ...(only === 'history' ? none : await compareStreams(rounds, only)),
    histories: 'history'.includes(only) ? await compareHistories(rounds) : [],
  };
  await conclude(
    loopReport,
    { data, versions: installedVersions('ai', '@ai-sdk/anthropic') },
    { keep },
  );
}

/** Sends the sample to the parent and exits. */
function report(sample: object): void {
  process.send?.(sample, () => process.exit());
}
