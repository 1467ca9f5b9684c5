import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pino } from 'pino';
import { PROTOCOL } from '../../packages/server/src/machine/link/handshake.ts';
import { openLocalMachine } from '../../packages/server/src/machine/local/open-local-machine.ts';
import { MachineConnector } from '../../packages/server/src/machine/program/machine-connector.ts';

/* A machine that knows only the previous version of the protocol. Killed, never stopped. */
const { CHATD_URL = '', CHATD_MACHINE_TOKEN = '', CHATD_DATA_DIR = '' } = process.env;
const log = pino({ base: null }, pino.destination({ dest: 2, sync: true }));
const { machine } = await openLocalMachine({
  directory: join(CHATD_DATA_DIR, 'workspaces'),
  hidden: [CHATD_DATA_DIR],
  allowUnsandboxed: false,
  log,
});
await new MachineConnector({
  url: CHATD_URL,
  token: CHATD_MACHINE_TOKEN,
  machine,
  hello: { version: 'older', boot: randomUUID(), labels: {} },
  log,
  protocol: { oldest: 1, newest: PROTOCOL.newest - 1 },
}).run();
