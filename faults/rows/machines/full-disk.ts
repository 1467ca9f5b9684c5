import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { mountSmallDisk } from '../../deployment/small-disk.ts';
import { ANSWER_MS, resultOf, withMachine } from '../../machine-cluster.ts';
import { countRounds, type Row } from '../../row.ts';

/** Room for the machine, and for the journal and the checkpoints of the commands. */
const megabytesFor = (commands: number): number => 32 + Math.ceil(commands / 16);
/** Its record in the journal needs a new block of the disk. */
const LONG_COMMAND = `: ${'x'.repeat(16_000)}; echo ran`;
const FULL = /disk of the machine is full/;

export const machineDiskFull: Row = {
  name: 'disk full on a machine',
  guarantee: 'commands fail with an error that says so, then work again without a restart',
  chats: 4,
  seconds: { round: 50 },
  async run({ bus, postgres, rounds, chats, log }) {
    const directory = await makeTemporaryDirectory();
    const disk = await mountSmallDisk(join(directory, 'machine'), megabytesFor(2 * rounds * chats));
    if ('refused' in disk)
      return {
        problems: [],
        skipped: `SKIPPED: cannot mount a tmpfs (${disk.refused}). Run as root.`,
      };
    // Without a reserve, the disk is full for the journal as well.
    const machine = { env: { CHATD_DISK_RESERVE_MB: '0' } };
    try {
      return await withMachine(
        { bus, postgres, commands: chats, machine, machineIn: disk.path },
        async (machines) => {
          const { cluster } = machines;
          let recovered = 0;
          let failed = 0;
          for (const round of countRounds({ rounds, log })) {
            const running = await machines.start(chats);
            await machines.running(running);
            await disk.fill();
            const conversation = await machines.run(LONG_COMMAND);
            await cluster.eventually(
              'the turn on the full disk is answered',
              () => conversation.isAnswered(),
              ANSWER_MS,
            );
            const said = JSON.stringify(resultOf(conversation)?.result);
            cluster.expect(FULL.test(said), `the result does not name the full disk: ${said}`);
            failed += 1;
            log(`round ${round}: ${said}`);
            await machines.answered(running);
            await disk.free();
            const after = await machines.start(chats);
            await machines.answered(after);
            const results = await machines.results(after);
            cluster.expect(results.unknown === 0, 'commands failed after space was freed', 'lost');
            recovered += results.recovered;
            await cluster.retire();
          }
          return {
            ...(await cluster.check(2 * rounds * chats)),
            figures: [
              `${failed} clear errors`,
              `${recovered} of ${rounds * chats} commands worked afterwards`,
            ],
          };
        },
      );
    } finally {
      await disk.unmount();
      await rm(directory, { recursive: true, force: true });
    }
  },
};
