import { setTimeout as sleep } from 'node:timers/promises';
import type { CallAnswer, Client } from '@chatd/client';
import { CommandFailed } from '../command-failed.ts';
import { command, group, JSON_OPTION, type Run } from '../command-line/command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printRecord } from '../output/listing.ts';
import { ago } from '../output/quantities.ts';
import { toArray } from '../output/to-array.ts';
import { pick } from './pick.ts';
import { findTemplate } from './templates.ts';
import { deleteCommand, listCommand } from './resource-commands.ts';

type Workspace = CallAnswer<'createWorkspace'>;
const POLL_MS = 500;

const listWorkspaces = (client: Client): Promise<Workspace[]> =>
  toArray(client.workspaces.each({ limit: 200 }));

export async function findWorkspace(client: Client, word: string): Promise<Workspace> {
  return pick(await listWorkspaces(client), word, 'workspace', ({ name }) => [name]);
}

/** Creates a workspace and waits until it is ready. */
export async function createWorkspace(
  client: Client,
  template: string,
  { log, name }: Pick<Context, 'log'> & { readonly name?: string | undefined },
): Promise<Workspace> {
  const { id: template_id } = await findTemplate(client, template);
  const created = await client.call('createWorkspace', {
    body: { template_id, ...(name !== undefined && { name }) },
  });
  log(`Creating the workspace ${created.name} (${created.id})`);
  for (;;) {
    const { log: output, ...workspace } = await client.call('getWorkspace', {
      params: { workspace_id: created.id },
    });
    if (workspace.status === 'ready') return workspace;
    if (workspace.status !== 'creating') {
      throw new CommandFailed(
        EXIT.failed,
        `Cannot create the workspace: ${workspace.error ?? workspace.status}`,
        output === '' ? undefined : `Last output of its setup:\n${output.trimEnd()}`,
      );
    }
    await sleep(POLL_MS);
  }
}

export const workspaces = (run: Run) =>
  group('workspace', 'Manage your workspaces', [
    listCommand(
      run,
      'List your workspaces, newest first',
      listWorkspaces,
      ({ now }) => [
        { title: 'ID', value: ({ id }) => id },
        { title: 'NAME', value: ({ name }) => name, flexible: true },
        { title: 'TEMPLATE', value: ({ template_name }) => template_name },
        { title: 'STATUS', value: ({ status }) => status },
        { title: 'USED', value: ({ last_used_at }) => ago(last_used_at, now()) },
      ],
      'You have no workspaces.',
    ),
    command('create', 'Create a workspace from a template and wait until it is ready', {
      examples: [['chatd workspace create empty --name scratch', 'An empty directory']],
    })
      .argument('<template>')
      .option('--name <name>', 'Name')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, template, { name, json }) => {
          const client = await context.client();
          const workspace = await createWorkspace(client, template, { log: context.log, name });
          printRecord(context, workspace, json);
        }),
      ),
    command('show', 'Show a workspace and the last output of its setup')
      .argument('<workspace>')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { json }) => {
          const client = await context.client();
          const { id } = await findWorkspace(client, word);
          const workspace = await client.call('getWorkspace', { params: { workspace_id: id } });
          printRecord(context, workspace, json);
        }),
      ),
    ...(
      [
        ['start', 'Start a workspace; runs its setup again if it failed', 'startWorkspace'],
        ['stop', 'Stop a workspace: its processes end, its files are kept', 'stopWorkspace'],
      ] as const
    ).map(([name, summary, call]) =>
      command(name, summary)
        .argument('<workspace>')
        .addOption(JSON_OPTION)
        .action(
          run(async (context, word, { json }) => {
            const client = await context.client();
            const { id } = await findWorkspace(client, word);
            printRecord(context, await client.call(call, { params: { workspace_id: id } }), json);
          }),
        ),
    ),
    deleteCommand(
      run,
      '<workspace>',
      'Delete a workspace and its files',
      findWorkspace,
      { name: ({ name }) => name, question: (name) => `Delete ${name} and its files?` },
      (client, { id }) => client.call('deleteWorkspace', { params: { workspace_id: id } }),
    ),
  ]);
