import type { LoopData } from '../report/loop.ts';
import { median } from '../report/statistics.ts';
import { messageFrom, startChild } from './children.ts';
import type { Sample } from './sample.ts';
import { SCENARIOS } from './scenario.ts';
import { SUBJECTS } from './subject.ts';

/** The loops alternate within a round, so that other load on the machine affects all of them equally. */
export async function compareStreams(
  rounds: number,
  only: string,
): Promise<Pick<LoopData, 'streams' | 'providerShare'>> {
  const scenarios = SCENARIOS.filter(({ name }) => name.includes(only));
  const provider = startChild(['provider']);
  const { port } = (await messageFrom(provider)) as { port: number };
  const host = `http://127.0.0.1:${port}`;
  const rows = scenarios.flatMap((scenario) =>
    SUBJECTS.map((subject) => ({ scenario, subject, samples: [] as Sample[] })),
  );
  const start = performance.now();
  for (let round = 1; round <= rounds; round++) {
    for (const { scenario, subject, samples } of rows) {
      process.stderr.write(`round ${round} of ${rounds}: ${scenario.name}, ${subject}\n`);
      const args = [subject, scenario, host].map((argument) => JSON.stringify(argument));
      samples.push((await messageFrom(startChild(['measure', ...args]))) as Sample);
    }
  }
  provider.send('cpu');
  const { cpuMs } = (await messageFrom(provider)) as { cpuMs: number };
  provider.disconnect();
  return {
    streams: rows.map(({ scenario, subject, samples }) => ({
      scenario: scenario.name,
      subject,
      wallMs: median(samples.map(({ wallMs }) => wallMs)),
      cpuMs: median(samples.map(({ cpuMs }) => cpuMs)),
      peakRssMb: median(samples.map(({ peakRssMb }) => peakRssMb)),
      lagMs: median(samples.map(({ lagMs }) => lagMs)),
    })),
    providerShare: cpuMs / (performance.now() - start),
  };
}
