import type { CallAnswer, Client } from '@chatd/client';
import { usageError } from '../command-failed.ts';
import { confirm } from '../access/read-secret.ts';
import { labelsOf } from '../chats/labels.ts';
import {
  collect,
  command,
  group,
  JSON_OPTION,
  type Run,
  YES_OPTION,
} from '../command-line/command.ts';
import { printJson, printRecord } from '../output/listing.ts';
import { installMachine } from '../machines/install-machine.ts';
import { SshHost } from '../machines/ssh-host.ts';
import { ago } from '../output/quantities.ts';
import { toArray } from '../output/to-array.ts';
import { pick } from './pick.ts';
import { listCommand, showCommand } from './resource-commands.ts';

type Machine = CallAnswer<'getMachine'>;

const listMachines = (client: Client): Promise<Machine[]> =>
  toArray(client.machines.each({ limit: 200 }));

async function findMachine(client: Client, word: string): Promise<Machine> {
  return pick(await listMachines(client), word, 'machine', ({ name }) => [name]);
}

const labelList = ({ labels }: Machine): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

export const machines = (run: Run) =>
  group('machines', 'Manage the machines that host workspaces', [
    listCommand(
      run,
      'List machines',
      listMachines,
      ({ now }) => [
        { title: 'ID', value: ({ id }) => id },
        { title: 'NAME', value: ({ name }) => name },
        { title: 'STATUS', value: ({ status }) => status },
        { title: 'WORKSPACES', value: ({ workspaces }) => String(workspaces) },
        { title: 'VERSION', value: ({ version }) => version ?? '–' },
        {
          title: 'SEEN',
          value: ({ last_seen_at }) => (last_seen_at === null ? 'never' : ago(last_seen_at, now())),
        },
        { title: 'LABELS', value: labelList, flexible: true },
      ],
      'There are no machines.',
    ),
    command('create', 'Add a machine and print the command that starts it', {
      details: 'The command contains the token of the machine, which is not shown again.',
      examples: [
        ['chatd machines create builder-1 --label zone=a', 'A machine with a label'],
        ['chatd machines create builder-1 --json', 'The machine and its token as JSON'],
      ],
    })
      .argument('<name>')
      .option('--label <name=value>', 'Label that templates select by. Repeatable', collect)
      .addOption(JSON_OPTION)
      .action(
        run(async (context, name, { label, json }) => {
          const client = await context.client();
          const created = await client.call('createMachine', {
            body: { name, labels: labelsOf(label, '--label ') },
          });
          if (json === true) return printJson(context, created);
          const { url } = await context.address();
          context.log(`Created the machine ${name}. Run this on it; the token is not shown again:`);
          context.print(`${startCommand(url, created.token)}\n`);
        }),
      ),
    command('install', 'Install chatd on a host over SSH and start it as a machine', {
      details:
        'Runs the program ssh, without questions. A host whose key is neither given nor in known_hosts is refused.',
      examples: [
        [
          'chatd machines install builder-1 ci@builder-1 --from packed',
          'Copy the packages that `npm run pack -- packed` has made',
        ],
        ['chatd machines install builder-1 ci@builder-1', 'Use the chatd that the host has'],
      ],
    })
      .argument('<name>')
      .argument('<host>', 'USER@HOST, or a host of your SSH configuration')
      .option('--from <folder>', 'Folder of packages to install. Default: chatd on the host')
      .option('--connect-to <url>', 'URL at which the host reaches the deployment. Default: --url')
      .option('--host-key <key>', 'Public key of the host. Default: known_hosts')
      .option('--identity <file>', 'Private key for SSH')
      .option('--port <port>', 'Port of SSH')
      .option('--label <name=value>', 'Label that templates select by. Repeatable', collect)
      .option('--wait <seconds>', 'Seconds to wait until the machine is online. Default: 60')
      .action(
        run(async (context, name, destination, options) => {
          const { from, connectTo, hostKey, identity, port, label, wait } = options;
          const waitMs = wait === undefined ? 60_000 : Number(wait) * 1000;
          if (!(waitMs > 0)) throw usageError('--wait must be a number of seconds.');
          const client = await context.client();
          const url = connectTo ?? (await context.address()).url;
          const host = await SshHost.open({ destination, hostKey, identity, port });
          try {
            const labels = labelsOf(label, '--label ');
            await installMachine(client, host, { name, labels, url, from, waitMs }, context.log);
          } finally {
            await host.close();
          }
          context.log(`The machine ${name} is online.`);
        }),
      ),
    showCommand(run, '<machine>', 'Show a machine', findMachine),
    command('drain', 'Place no new workspaces on a machine; existing ones are kept', {
      examples: [
        ['chatd machines drain builder-1', 'Before you retire it'],
        ['chatd machines drain builder-1 --undo', 'Place workspaces on it again'],
      ],
    })
      .argument('<machine>')
      .option('--undo', 'Place new workspaces on it again')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { undo, json }) => {
          const client = await context.client();
          const { id } = await findMachine(client, word);
          const machine = await client.call('updateMachine', {
            params: { machine_id: id },
            body: { draining: undo !== true },
          });
          printRecord(context, machine, json);
        }),
      ),
    command('rotate-token', 'Replace the token of a machine and print the command that starts it', {
      details:
        'The previous token is revoked, and its connection closed. Running commands go on until you start the machine again.',
      examples: [['chatd machines rotate-token builder-1', 'After the token was disclosed']],
    })
      .argument('<machine>')
      .addOption(YES_OPTION)
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { yes, json }) => {
          const client = await context.client();
          const { id, name } = await findMachine(client, word);
          if (yes !== true)
            await confirm(context, `Revoke the token of ${name} and disconnect the machine?`);
          const rotated = await client.call('rotateMachineToken', { params: { machine_id: id } });
          if (json === true) return printJson(context, rotated);
          const { url } = await context.address();
          context.log(
            `Replaced the token of ${name}. Run this on it; the token is not shown again:`,
          );
          context.print(`${startCommand(url, rotated.token)}\n`);
        }),
      ),
    command('delete', 'Delete a machine and revoke its token')
      .argument('<machine>')
      .option('--force', 'Delete its workspaces with it')
      .addOption(YES_OPTION)
      .action(
        run(async (context, word, { force, yes }) => {
          const client = await context.client();
          const { id, name, workspaces } = await findMachine(client, word);
          const also = force === true && workspaces > 0 ? ` and its ${workspaces} workspaces` : '';
          if (yes !== true) await confirm(context, `Delete the machine ${name}${also}?`);
          await client.call('deleteMachine', {
            params: { machine_id: id },
            query: { force: force === true },
          });
          context.log(`Deleted ${name}.`);
        }),
      ),
  ]);

/** The token is not an argument, so that other users of the machine do not see it in the process list. */
const startCommand = (url: string, token: string): string =>
  `CHATD_MACHINE_TOKEN=${token} chatd machine --url ${url}`;
