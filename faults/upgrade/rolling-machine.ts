import { type MachineCluster, withMachine } from '../machine-cluster.ts';
import type { Upgrade } from './upgrade.ts';
import type { Revision } from './revision.ts';

const EACH = 4;

/**
 * Upgrades two replicas and the machine of an earlier version, one after the other, while commands run. Every pair of
 * versions that an upgrade can have runs commands.
 */
export const rollingMachineUpgrade = (old: Revision, program: string): Upgrade => ({
  name: `rolling upgrade of a machine from ${old.name} (schema ${old.schema.version})`,
  guarantee: 'commands run once, whichever versions the replicas and the machine have',
  run: ({ bus, postgres, log }) =>
    withMachine(
      { bus, postgres, commands: EACH, version: old, machine: { program } },
      async (machines) => {
        const { cluster } = machines;
        const { deployment } = cluster;
        const [first, second] = deployment.members;
        if (first === undefined || second === undefined) throw new Error('two replicas expected');
        let recovered = 0;
        const during = async (fault: () => Promise<void>) => {
          const running = await machines.start(EACH);
          await machines.running(running);
          await fault();
          await machines.answered(running);
          const results = await machines.results(running);
          recovered += results.recovered;
          return results;
        };
        const expectAll = async (phase: string, fault: () => Promise<void>) => {
          const { unknown } = await during(fault);
          cluster.expect(unknown === 0, `${phase}: ${unknown} results were not recovered`);
          log(phase);
        };

        await expectAll('first replica upgraded, with a machine of the old version', async () => {
          machines.routeTo(second);
          cluster.expect(
            (await first.replica.stop()) === 0,
            'the old replica did not stop cleanly',
          );
          await deployment.replace(first);
        });
        await expectAll('the machine of the old version connects to the new replica', async () => {
          machines.routeTo(first);
          await second.replica.kill();
          await deployment.replace(second, old);
        });

        const { unknown } = await during(async () => {
          await machines.machine.kill();
          machines.machine = machines.launch(machines.dataDir, {});
        });
        log(
          `machine upgraded by kill -9: ${unknown} of ${EACH} running commands reported as unknown`,
        );
        await expectAll('the machine of the new version connects to the old replica', async () => {
          machines.routeTo(second);
          await first.replica.kill();
          await deployment.replace(first);
        });
        await expectAll('second replica upgraded', async () => {
          machines.routeTo(first);
          await second.replica.kill();
          await deployment.replace(second);
        });
        await expectHolder(machines);

        const { problems } = await cluster.check(EACH * 5);
        const figure = `${recovered} of ${EACH * 5} results recovered, ${unknown} reported as unknown when the machine was killed`;
        return { figure, problems };
      },
    ),
});

/** The machine is connected to a live replica at the end. */
async function expectHolder(machines: MachineCluster): Promise<void> {
  const { replica } = await machines.holder();
  machines.cluster.expect(replica.isAlive, 'the machine is connected to a dead replica');
}
