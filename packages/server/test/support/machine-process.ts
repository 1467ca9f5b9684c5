import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { openLocalMachine } from '../../src/machine/local/open-local-machine.ts';

/* A process that hosts a machine until it is killed. It runs each line of its input as a command and prints events. */
const [directory = '', workspace = ''] = process.argv.slice(2);
const say = (event: object) => process.stdout.write(`${JSON.stringify(event)}\n`);

const { machine } = await openLocalMachine({
  directory,
  hidden: [],
  allowUnsandboxed: false,
  log: pino({ level: 'silent' }),
});
const spec = { id: workspace, driver: 'host', env: {}, limits: {}, network: 'none' } as const;
const { commands, root } = await machine.open(spec);
say({ event: 'open' });
for await (const line of createInterface({ input: process.stdin })) {
  const { call, command } = JSON.parse(line) as { call: string; command: string };
  let bytes = 0;
  void commands
    .start({
      call,
      command,
      cwd: root,
      background: false,
      onOutput(output) {
        bytes += output.length;
        say({ event: 'output', call, bytes });
      },
    })
    .then(({ exit }) => exit)
    .then((exit) => say({ event: 'exit', call, ...exit }));
}
