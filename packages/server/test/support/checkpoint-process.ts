import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { openLocalMachine } from '../../src/machine/local/open-local-machine.ts';

/* A process that saves and restores checkpoints of a workspace until it is killed. */
const [directory = '', workspace = ''] = process.argv.slice(2);
const say = (event: object) => process.stdout.write(`${JSON.stringify(event)}\n`);

type Request =
  | { readonly save: string }
  | { readonly restore: string; readonly target: string; readonly expected: string };

const { machine } = await openLocalMachine({
  directory,
  hidden: [],
  allowUnsandboxed: false,
  log: pino({ level: 'silent' }),
});
const { checkpoints } = await machine.open({
  id: workspace,
  driver: 'host',
  env: {},
  limits: {},
  network: 'none',
});
say({ open: true });
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request;
  if ('save' in request) say(await checkpoints.save(request.save, null));
  else {
    const { restore, target, expected } = request;
    say({ restored: await checkpoints.restore(restore, target, expected) });
  }
}
