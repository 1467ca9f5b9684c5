import { MUTATIONS } from './mutations.ts';
import { runSeeds } from './run-seeds.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

/*
 * npm run simulate:defects -- --seeds 200 --only leases
 * Simulates the program with each known defect until a seed finds it.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '300' },
    from: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});
const seeds = Array.from(
  { length: Number(values.seeds) },
  (_, index) => Number(values.from) + index,
);

for (const { name } of MUTATIONS.filter((mutation) => mutation.name.includes(values.only))) {
  const found = new AbortController();
  let problem = '';
  const results = await runSeeds(seeds, {
    jobs: 1,
    mutation: name,
    signal: found.signal,
    onFailed: (_, { problems }) => {
      problem = problems[0] ?? '';
      found.abort();
    },
  });
  console.log(
    found.signal.aborted
      ? `found after ${results.length} seeds: ${name} (${problem})`
      : `not found in ${results.length} seeds: ${name}`,
  );
  if (!found.signal.aborted) process.exitCode = 1;
}
