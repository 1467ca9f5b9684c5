import { join } from 'node:path';
import { withMachine } from '../../machine-cluster.ts';
import type { Row } from '../../row.ts';

const COMMANDS = 4;
const REFUSED = 'another program is connected with the token of this machine';

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
        await cluster.eventually('the second is refused', () => second.log.includes(REFUSED));
        await machines.answered(running);
        const results = await machines.results(running);
        cluster.expect(results.unknown === 0, `${results.unknown} results were lost`);
        recovered += results.recovered;
        cluster.expect(first.isAlive && second.isAlive, 'a program has exited');
        cluster.expect(!second.log.includes('"msg":"connected"'), 'the second was not refused');
        const tries = second.log.split(REFUSED).length - 1;
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
