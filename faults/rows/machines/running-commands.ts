import { setTimeout as sleep } from 'node:timers/promises';
import {
  type MachineCluster,
  type MachineClusterOptions,
  type RunningCommand,
  withMachine,
} from '../../machine-cluster.ts';
import type { Row } from '../../row.ts';
import { ms } from '../../statistics.ts';

const EACH = 6;
const LATER = 2;
/** Longer than the silence after which a connection is given up. */
const FROZEN_MS = 20_000;
/** Longer than the commands: those that outlive their machine would end by then. */
const ORPHAN_MS = 6000;
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
  readonly inject: (machines: MachineCluster) => Promise<readonly RunningCommand[]>;
}

const commandRow = ({ name, guarantee, machine, losesCommands, inject }: CommandFault): Row => ({
  name,
  guarantee,
  run: ({ bus, postgres, rounds, log }) =>
    withMachine({ bus, postgres, ...(machine && { machine }) }, async (machines) => {
      const { cluster } = machines;
      const waits: number[] = [];
      let recovered = 0;
      let unknown = 0;
      for (let round = 1; round <= rounds; round += 1) {
        const running = await machines.start(EACH);
        await machines.running(running);
        const since = Date.now();
        const later = await inject(machines);
        await machines.answered([...running, ...later]);
        waits.push(Date.now() - since);
        const results = await machines.results(running);
        recovered += results.recovered;
        unknown += results.unknown;
        if (losesCommands !== true)
          cluster.expect(results.unknown === 0, `${results.unknown} results were not recovered`);
        const { unknown: failed } = await machines.results(later);
        cluster.expect(failed === 0, `${failed} commands that were sent during the fault failed`);
        log(`round ${round}: ${results.recovered} of ${running.length} results recovered`);
      }
      const problems = await cluster.check(rounds * EACH);
      const doubles = problems.filter((one) => one.startsWith('effectsAtMostOnce')).length;
      const lost = losesCommands === true ? `, ${unknown} reported as unknown` : '';
      return {
        figure: `${recovered} of ${rounds * EACH} results recovered${lost}, double effects ${doubles}, all answered within ${ms(Math.max(...waits))}`,
        problems,
        late: cluster.late,
      };
    }),
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
  guarantee: RECOVERED,
  inject: (machines) => killReplica(machines, 'other'),
});

const killHolder = commandRow({
  name: 'kill -9 of the replica that holds the connection of a machine',
  guarantee: RECOVERED,
  inject: (machines) => killReplica(machines, 'holder'),
});

const killMachine = commandRow({
  name: 'kill -9 of a machine while commands run',
  guarantee: 'commands end with the machine, and their outcome is reported as unknown',
  losesCommands: true,
  async inject(machines) {
    await machines.machine.kill();
    const later = await machines.start(LATER);
    await sleep(ORPHAN_MS);
    machines.machine = machines.launch();
    return later;
  },
});

const frozenReplica = commandRow({
  name: 'replica with the connection of a machine frozen past its lease',
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
  guarantee: `${RECOVERED}; calls that were sent meanwhile run once`,
  async inject(machines) {
    machines.machine.freeze();
    const later = await machines.start(LATER);
    await sleep(FROZEN_MS);
    machines.machine.thaw();
    return later;
  },
});

const shortCut = commandRow({
  name: 'connection of a machine closed for 1 s',
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
  guarantee: `${RECOVERED}; calls that were sent meanwhile run once`,
  async inject(machines) {
    const { proxy } = machines;
    const holder = await machines.holder();
    proxy.allow(NOWHERE);
    proxy.cut();
    const later = await machines.start(LATER);
    await sleep(LONG_CUT_MS);
    machines.routeTo(holder);
    return later;
  },
});

const previousProtocol = commandRow({
  name: 'machine of the previous protocol version, replica killed',
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
