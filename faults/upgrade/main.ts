import { parseArgs } from 'node:util';
import { removeAbandonedRuns } from '../../packages/server/test/support/temporary-directory.ts';
import { BUSES } from '../deployment/deployment.ts';
import { startPostgres } from '../deployment/postgres.ts';
import type { Outcome, Row } from '../row.ts';
import { EARLIER } from './earlier.ts';
import { checkOut } from './revision.ts';
import { rollingUpgrade } from './rolling.ts';
import { takingAway } from './taking-away.ts';

/*
 * Replicas of an earlier version are replaced by this one while people talk to them. Exits with 1 when something did
 * not hold.
 */
const { values: options } = parseArgs({
  options: {
    from: { type: 'string', multiple: true, default: [...EARLIER] },
    bus: { type: 'string', default: 'postgres' },
  },
});
const buses = BUSES.filter((bus) => options.bus.split(',').includes(bus));
if (buses.length === 0) {
  console.error(`npm run upgrade -- [--from REVISION]… [--bus ${BUSES.join(',')}]`);
  process.exit(2);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

const say = (line: string) => console.log(`  ${line}`);
await removeAbandonedRuns();
const postgres = await startPostgres();
let problems = 0;
try {
  await play(takingAway);
  for (const revision of options.from) {
    const old = await checkOut(revision, say);
    await play(rollingUpgrade(old));
    await old.remove();
  }
} finally {
  await postgres.stop();
}
console.log(problems === 0 ? '\nEverything held.' : `\n${problems} did not hold.`);
process.exit(problems === 0 ? 0 : 1);

async function play(row: Row): Promise<void> {
  for (const bus of buses) {
    console.log(`\n${row.name} (${bus}): ${row.mustHold}`);
    const outcome = await row
      .run({ bus, postgres, rounds: 1, say })
      .catch((error: unknown): Outcome => ({ figure: '–', problems: [String(error)] }));
    for (const problem of outcome.problems.slice(0, 20)) say(`DOES NOT HOLD: ${problem}`);
    say(outcome.figure);
    problems += outcome.problems.length;
  }
}
