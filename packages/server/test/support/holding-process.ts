import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { HostDriver } from '../../src/machine/drivers/host/host-driver.ts';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';

// Holds a workspace with commands in the background until it is killed: `node holding-process.ts SECONDS`.
const [time = '1000'] = process.argv.slice(2);
const directory = await makeTemporaryDirectory();
const driver = new HostDriver({
  directory: join(directory, 'workspaces'),
  hidden: [directory],
  allowUnsandboxed: false,
});
const spec = { id: randomUUID(), env: {}, limits: {}, network: 'none' as const };
await driver.create(spec);
const sandbox = await driver.open(spec);
await sandbox.run({
  argv: ['sh', '-c', `env -i setsid sleep ${time} & echo; exec sleep ${time}`],
  background: true,
  onOutput: () => process.stdout.write('holding\n'),
});
