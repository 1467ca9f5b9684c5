import { type Sample, sample } from './sample.ts';
import { expectedText, type Scenario } from './scenario.ts';
import type { Subject, SubjectName } from './subject.ts';

const IMPORTS: Record<SubjectName, () => Promise<Subject>> = {
  doStream: async () => (await import('./do-stream.ts')).doStream,
  loop: async () => (await import('./loop.ts')).loop,
  streamText: async () => (await import('./stream-text.ts')).streamText,
};

/**
 * Servers run optimized code, so each scenario has a warm-up. Paced scenarios have a paced but faster warm-up, because
 * the deltas of a burst are merged and exercise less code.
 */
const WARM_UP = {
  burst: { streams: 2, repeat: 3, deltas: 2_000, gapMs: 0 },
  paced: { streams: 40, repeat: 1, deltas: 400, gapMs: 1 },
};

/** Runs one scenario in this process. */
export async function measure(
  name: SubjectName,
  scenario: Scenario,
  host: string,
): Promise<Sample> {
  const subject = await IMPORTS[name]();
  const warmUp = scenario.gapMs === 0 ? WARM_UP.burst : WARM_UP.paced;
  await work(subject, { ...scenario, ...warmUp }, host);
  const measured = await sample(() => work(subject, scenario, host));
  const { repeat } = scenario;
  return { ...measured, wallMs: measured.wallMs / repeat, cpuMs: measured.cpuMs / repeat };
}

async function work(subject: Subject, scenario: Scenario, host: string): Promise<void> {
  const { work: what, deltas, gapMs, streams, repeat } = scenario;
  const url = `${host}/${what}/${deltas}/${gapMs}/v1`;
  const expected = expectedText(scenario);
  for (let round = 0; round < repeat; round++) {
    const texts = await Promise.all(Array.from({ length: streams }, () => subject.run(url)));
    const wrong = texts.find((text) => text !== expected);
    if (wrong !== undefined) throw new Error(`incomplete text: ${wrong.slice(0, 200)}`);
  }
}
