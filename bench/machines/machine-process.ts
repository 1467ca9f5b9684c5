/* Runs a machine for the benchmark. Arguments: the URL of the deployment, and a data directory. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { openLocalMachine } from '../../packages/server/src/machine/local/open-local-machine.ts';
import { MachineConnector } from '../../packages/server/src/machine/program/machine-connector.ts';
import { MACHINE } from './machine-settings.ts';

const [url = '', directory = ''] = process.argv.slice(2);
const log = pino({ level: 'silent' });
const { machine, close } = await openLocalMachine({ ...MACHINE, directory, hidden: [], log });
const connector = new MachineConnector({
  url,
  token: 'none',
  machine,
  hello: { version: 'bench', boot: randomUUID(), labels: {} },
  log,
});
process.once('SIGTERM', () => {
  connector.close();
  void close().then(() => process.exit(0));
});
await connector.run();
