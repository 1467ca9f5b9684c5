import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withMachine } from '../../machine-cluster.ts';
import type { Row } from '../../row.ts';

const COMMANDS = 4;
/** The second program tries to connect several times. */
const BOTH_MS = 5000;

export const sharedToken: Row = {
  name: 'two machines with one token',
  guarantee: 'the second is refused and says why; the first is not affected',
  run: ({ bus, postgres, rounds, log }) =>
    withMachine({ bus, postgres }, async (machines) => {
      const { cluster, machine: first } = machines;
      let refused = 0;
      let recovered = 0;
      for (let round = 1; round <= rounds; round += 1) {
        const running = await machines.start(COMMANDS);
        await machines.running(running);
        // It connects to the other replica.
        machines.routeTo(machines.other(await machines.holder()));
        const second = machines.launch(join(machines.directory, `second-${round}`));
        await sleep(BOTH_MS);
        await machines.answered(running);
        const results = await machines.results(running);
        cluster.expect(results.unknown === 0, `${results.unknown} results were lost`);
        recovered += results.recovered;
        cluster.expect(first.isAlive && second.isAlive, 'a program has exited');
        cluster.expect(!second.log.includes('"msg":"connected"'), 'the second was not refused');
        const tries = second.log.split('is connected with the token of this machine').length - 1;
        cluster.expect(tries > 0, `the second does not say why it is refused: ${second.log}`);
        refused += tries;
        log(`round ${round}: the second was refused ${tries} times`);
        await second.kill();
      }
      const problems = await cluster.check(rounds * COMMANDS);
      return {
        figure: `the second was refused ${refused} times; ${recovered} of ${rounds * COMMANDS} commands of the first were not affected`,
        problems,
        late: cluster.late,
      };
    }),
};
