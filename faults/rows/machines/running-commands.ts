import { setTimeout as sleep } from 'node:timers/promises';
import {
  type MachineCluster,
  type MachineClusterOptions,
  type RunningCommand,
  withMachine,
} from '../../machine-cluster.ts';
import { countRounds, type Row } from '../../row.ts';

/** Longer than the silence after which a connection is given up. */
const FROZEN_MS = 20_000;
/** Commands that outlive their machine would end by then. */
const ORPHAN_MS = 2000;
const SHORT_CUT_MS = 1000;
const LONG_CUT_MS = 60_000;
/** Nothing listens there. */
const NOWHERE = { host: '127.0.0.1', port: 1 };

interface CommandFault {
  readonly name: string;
  readonly guarantee: string;
  readonly machine?: MachineClusterOptions['machine'];
  /** Ends the running commands, whose outcome is then unknown. */
  readonly losesCommands?: boolean;
  /** Injects the fault while commands run, and repairs it. Returns the commands that were started meanwhile. */
  readonly inject: (machines: MachineCluster, chats: number) => Promise<readonly RunningCommand[]>;
  /** Rough duration of a round. */
  readonly seconds: number;
}

/** Number of commands that are sent during a fault. */
const laterThan = (chats: number): number => Math.ceil(chats / 5);

const commandRow = ({ machine, losesCommands, inject, seconds, ...row }: CommandFault): Row => ({
  ...row,
  chats: 6,
  seconds: { round: seconds },
  run: ({ bus, postgres, rounds, chats, log }) =>
    withMachine(
      { bus, postgres, commands: chats, ...(machine && { machine }) },
      async (machines) => {
        const { cluster } = machines;
        const waits: number[] = [];
        let recovered = 0;
        for (const round of countRounds({ rounds, log })) {
          const running = await machines.start(chats);
          await machines.running(running);
          const since = Date.now();
          const later = await inject(machines, chats);
          await machines.answered([...running, ...later]);
          waits.push(Date.now() - since);
          const results = await machines.results(running);
          recovered += results.recovered;
          if (losesCommands !== true)
            cluster.expect(
              results.unknown === 0,
              `${results.unknown} results were not recovered`,
              'lost',
            );
          const { unknown: failed } = await machines.results(later);
          cluster.expect(
            failed === 0,
            `${failed} commands that were sent during the fault failed`,
            'lost',
          );
          log(`round ${round}: ${results.recovered} of ${running.length} results recovered`);
          await cluster.retire();
        }
        return {
          ...(await cluster.check(rounds * chats)),
          times: { 'all commands answered': waits },
          figures: [`${recovered} of ${rounds * chats} results recovered`],
        };
      },
    ),
});

/** Kills the replica that holds the connection of the machine, or the other one, and starts it again. */
async function killReplica(
  machines: MachineCluster,
  which: 'holder' | 'other',
): Promise<readonly RunningCommand[]> {
  const { cluster } = machines;
  const { witness } = cluster.deployment;
  const holder = await machines.holder();
  const other = machines.other(holder);
  const victim = which === 'holder' ? holder : other;
  machines.routeTo(which === 'holder' ? other : holder);
  const chats = await witness.chatsOf(victim.workerId);
  cluster.expect(chats.length > 0, 'the killed replica runs no chat');
  const killedAt = Date.now();
  await victim.replica.kill();
  await cluster.takenOver(chats, killedAt);
  await cluster.deployment.replace(victim);
  return [];
}

const RECOVERED = 'each command runs once; its whole output and exit code are recovered';

const killRunner = commandRow({
  name: 'kill -9 of a replica while its commands run on a machine',
  seconds: 24,
  guarantee: RECOVERED,
  inject: (machines) => killReplica(machines, 'other'),
});

const killHolder = commandRow({
  name: 'kill -9 of the replica that holds the connection of a machine',
  seconds: 22,
  guarantee: RECOVERED,
  inject: (machines) => killReplica(machines, 'holder'),
});

const killMachine = commandRow({
  name: 'kill -9 of a machine while commands run',
  seconds: 38,
  guarantee: 'commands end with the machine, and their outcome is reported as unknown',
  losesCommands: true,
  async inject(machines, chats) {
    await machines.machine.kill();
    const later = await machines.start(laterThan(chats));
    await sleep(machines.commandMs + ORPHAN_MS);
    machines.machine = machines.launch();
    return later;
  },
});

const frozenReplica = commandRow({
  name: 'replica with the connection of a machine frozen past its lease',
  seconds: 32,
  guarantee: RECOVERED,
  async inject(machines) {
    const { cluster } = machines;
    const holder = await machines.holder();
    machines.routeTo(machines.other(holder));
    const chats = await cluster.deployment.witness.chatsOf(holder.workerId);
    const frozenAt = Date.now();
    holder.replica.freeze();
    await cluster.takenOver(chats, frozenAt);
    await sleep(Math.max(0, frozenAt + FROZEN_MS - Date.now()));
    holder.replica.thaw();
    return [];
  },
});

const frozenMachine = commandRow({
  name: 'machine frozen until its connection is given up',
  seconds: 45,
  guarantee: `${RECOVERED}; calls that were sent meanwhile run once`,
  async inject(machines, chats) {
    machines.machine.freeze();
    const later = await machines.start(laterThan(chats));
    await sleep(FROZEN_MS);
    machines.machine.thaw();
    return later;
  },
});

const shortCut = commandRow({
  name: 'connection of a machine closed for 1 s',
  seconds: 18,
  guarantee: RECOVERED,
  async inject({ proxy }) {
    proxy.refuse();
    await sleep(SHORT_CUT_MS);
    proxy.allow();
    return [];
  },
});

const longCut = commandRow({
  name: 'connection of a machine silently cut for 60 s',
  seconds: 85,
  guarantee: `${RECOVERED}; calls that were sent meanwhile run once`,
  async inject(machines, chats) {
    const { proxy } = machines;
    const holder = await machines.holder();
    proxy.allow(NOWHERE);
    proxy.cut();
    const later = await machines.start(laterThan(chats));
    await sleep(LONG_CUT_MS);
    machines.routeTo(holder);
    return later;
  },
});

const previousProtocol = commandRow({
  name: 'machine of the previous protocol version, replica killed',
  seconds: 20,
  guarantee: RECOVERED,
  machine: { previousProtocol: true },
  inject: (machines) => killReplica(machines, 'other'),
});

/** A fault occurs while commands run on a machine. */
export const COMMAND_ROWS: readonly Row[] = [
  killRunner,
  killHolder,
  killMachine,
  frozenReplica,
  frozenMachine,
  shortCut,
  longCut,
  previousProtocol,
];
