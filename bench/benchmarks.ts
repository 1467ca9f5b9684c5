/** In the order in which `npm run bench` runs them, most important first. */
export interface Benchmark {
  readonly name: string;
  readonly file: string;
  /** For results worth keeping, on two idle cores. */
  readonly args: readonly string[];
  /** Approximate duration. */
  readonly minutes: number;
  /** For a smoke test. */
  readonly quick: readonly string[];
}

export const BENCHMARKS: readonly Benchmark[] = [
  {
    name: 'server',
    file: 'server/main.ts',
    args: [],
    minutes: 10,
    quick: '--rounds 1 --seconds 1 --concurrency 1,8 --history 200 --processes 1,2'.split(' '),
  },
  {
    name: 'agents',
    file: 'agents/main.ts',
    args: [],
    minutes: 28,
    quick: '--rounds 1 --seconds 3 --agents 20 --limit 40 --precision 0.5'.split(' '),
  },
  {
    name: 'loop',
    file: 'loop/main.ts',
    args: ['--rounds', '2'],
    minutes: 5,
    quick: ['--rounds', '1'],
  },
  {
    name: 'store',
    file: 'store/main.ts',
    args: ['--seconds', '1'],
    minutes: 2,
    quick: '--rounds 1 --seconds 0.5 --concurrency 1,16'.split(' '),
  },
  { name: 'load', file: 'load/main.ts', args: [], minutes: 1, quick: ['--seconds', '10'] },
  {
    name: 'bus',
    file: 'bus/main.ts',
    args: ['--seconds', '3'],
    minutes: 1,
    quick: '--rounds 1 --seconds 1 --messages 20000'.split(' '),
  },
  {
    name: 'usage',
    file: 'usage/main.ts',
    args: ['--rounds', '7'],
    minutes: 0.5,
    quick: '--rounds 1 --calls 100000'.split(' '),
  },
  {
    name: 'schedules',
    file: 'schedules/main.ts',
    args: [],
    minutes: 0.5,
    quick: ['--ticks', '200'],
  },
  {
    name: 'search',
    file: 'search/main.ts',
    args: ['--messages', '1000000,10000000'],
    minutes: 28,
    quick: '--messages 5000,20000 --searches 20'.split(' '),
  },
  {
    name: 'partitions',
    file: 'partitions/main.ts',
    args: [],
    minutes: 10,
    quick: '--rows 60000 --rounds 1 --seconds 1'.split(' '),
  },
  {
    name: 'backup',
    file: 'backup/main.ts',
    args: [],
    minutes: 2.5,
    quick: '--messages 20000 --rounds 1'.split(' '),
  },
  {
    name: 'sizing',
    file: 'sizing/main.ts',
    args: [],
    minutes: 1.5,
    quick: '--stored 50 --streams 100 --chats 20 --viewers 40 --seconds 5'.split(' '),
  },
  {
    name: 'responses',
    file: 'responses/main.ts',
    args: [],
    minutes: 1,
    quick: '--rounds 1 --answers 20 --concurrency 2'.split(' '),
  },
  { name: 'tools', file: 'tools/main.ts', args: [], minutes: 1, quick: ['--calls', '50'] },
  {
    name: 'checkpoints',
    file: 'checkpoints/main.ts',
    args: [],
    minutes: 0.5,
    quick: '--files 2000 --rounds 2'.split(' '),
  },
  {
    name: 'machines',
    file: 'machines/main.ts',
    args: [],
    minutes: 1,
    quick: '--calls 30 --reads 5 --terminals 10 --idle 50 --seconds 2'.split(' '),
  },
  { name: 'web', file: 'web/main.ts', args: [], minutes: 2, quick: ['--messages', '10,500'] },
];
