import { join } from 'node:path';
import { withMachine } from '../../machine-cluster.ts';
import { countRounds, type Row } from '../../row.ts';

const REFUSED = 'another program is connected with the token of this machine';

export const sharedToken: Row = {
  name: 'two machines with one token',
  guarantee: 'the second is refused and says why; the first is not affected',
  chats: 4,
  seconds: { round: 20 },
  run: ({ bus, postgres, rounds, chats, log }) =>
    withMachine({ bus, postgres, commands: chats }, async (machines) => {
      const { cluster, machine: first } = machines;
      let refused = 0;
      let recovered = 0;
      for (const round of countRounds({ rounds, log })) {
        const running = await machines.start(chats);
        await machines.running(running);
        // It connects to the other replica.
        machines.routeTo(machines.other(await machines.holder()));
        const second = machines.launch(join(machines.directory, `second-${round}`));
        await cluster.eventually('the second is refused', () => second.log.includes(REFUSED));
        await machines.answered(running);
        const results = await machines.results(running);
        cluster.expect(results.unknown === 0, `${results.unknown} results were lost`, 'lost');
        recovered += results.recovered;
        cluster.expect(first.isAlive && second.isAlive, 'a program has exited');
        cluster.expect(!second.log.includes('"msg":"connected"'), 'the second was not refused');
        const tries = second.log.split(REFUSED).length - 1;
        refused += tries;
        log(`round ${round}: the second was refused ${tries} times`);
        await second.kill();
        await cluster.retire();
      }
      return {
        ...(await cluster.check(rounds * chats)),
        figures: [
          `the second was refused ${refused} times`,
          `${recovered} of ${rounds * chats} commands of the first were not affected`,
        ],
      };
    }),
};
