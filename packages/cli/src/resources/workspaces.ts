import { setTimeout as sleep } from 'node:timers/promises';
import type { CallAnswer, Client } from '@chatd/client';
import { confirm } from '../access/read-secret.ts';
import { CommandFailed } from '../command-failed.ts';
import { action, group } from '../command-line/command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { collect } from '../output/collect.ts';
import { JSON_OPTION, printList, printRecord } from '../output/listing.ts';
import { ago } from '../output/quantities.ts';
import { pick } from './pick.ts';
import { findTemplate } from './templates.ts';

type Workspace = CallAnswer<'createWorkspace'>;
const LOOK_MS = 500;

const listWorkspaces = (client: Client): Promise<Workspace[]> =>
  collect(client.workspaces.each({ limit: 200 }));

export async function findWorkspace(client: Client, word: string): Promise<Workspace> {
  return pick(await listWorkspaces(client), word, 'workspace', ({ name }) => [name]);
}

/** Makes one from a template and waits until its set-up is done. */
export async function makeWorkspace(
  client: Client,
  template: string,
  {
    say,
    name,
    signal,
  }: Pick<Context, 'say'> & { readonly name?: string | undefined; readonly signal?: AbortSignal },
): Promise<Workspace> {
  const { id: template_id } = await findTemplate(client, template);
  const made = await client.call('createWorkspace', {
    body: { template_id, ...(name !== undefined && { name }) },
    ...(signal && { signal }),
  });
  say(`Making the workspace ${made.name} (${made.id})`);
  const params = { workspace_id: made.id };
  for (;;) {
    const { log, ...workspace } = await client.call('getWorkspace', { params, signal });
    if (workspace.status === 'ready') return workspace;
    if (workspace.status !== 'creating') {
      throw new CommandFailed(
        EXIT.failed,
        `The workspace could not be made: ${workspace.error ?? workspace.status}`,
        log === '' ? undefined : `The end of its set-up:\n${log.trimEnd()}`,
      );
    }
    await sleep(LOOK_MS, undefined, signal && { signal });
  }
}

export const workspaces = group({
  name: 'workspace',
  summary: 'Your workspaces: list, create, show, start, stop, delete',
  commands: [
    action({
      name: 'list',
      summary: 'Your workspaces, newest first',
      options: JSON_OPTION,
      async run({ values, context }) {
        printList(
          context,
          await listWorkspaces(await context.client()),
          [
            { title: 'ID', value: ({ id }) => id },
            { title: 'NAME', value: ({ name }) => name, flexible: true },
            { title: 'TEMPLATE', value: ({ template_name }) => template_name },
            { title: 'STATUS', value: ({ status }) => status },
            { title: 'USED', value: ({ last_used_at }) => ago(last_used_at, context.now()) },
          ],
          { json: values.json, none: 'You have no workspaces.' },
        );
        return EXIT.ok;
      },
    }),
    action({
      name: 'create',
      summary: 'Make a workspace from a template, and wait until it is ready',
      positionals: [{ name: 'TEMPLATE' }],
      options: {
        name: { type: 'string', value: 'NAME', help: 'What it is called' },
        ...JSON_OPTION,
      },
      examples: [['chatd workspace create empty --name scratch', 'an empty folder']],
      async run({ values, positionals: [template = ''], context }) {
        const client = await context.client();
        const { say } = context;
        const workspace = await makeWorkspace(client, template, { say, name: values.name });
        printRecord(context, workspace, values.json);
        return EXIT.ok;
      },
    }),
    action({
      name: 'show',
      summary: 'One workspace, with the end of the output of its set-up',
      positionals: [{ name: 'WORKSPACE' }],
      options: JSON_OPTION,
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id } = await findWorkspace(client, word);
        const workspace = await client.call('getWorkspace', { params: { workspace_id: id } });
        printRecord(context, workspace, values.json);
        return EXIT.ok;
      },
    }),
    ...(['start', 'stop'] as const).map((verb) =>
      action({
        name: verb,
        summary:
          verb === 'start'
            ? 'Start a workspace; of one that failed, its set-up begins again'
            : 'Stop a workspace: what runs in it ends, its files are kept',
        positionals: [{ name: 'WORKSPACE' }],
        options: JSON_OPTION,
        async run({ values, positionals: [word = ''], context }) {
          const client = await context.client();
          const { id } = await findWorkspace(client, word);
          const call = verb === 'start' ? 'startWorkspace' : 'stopWorkspace';
          const workspace = await client.call(call, { params: { workspace_id: id } });
          printRecord(context, workspace, values.json);
          return EXIT.ok;
        },
      }),
    ),
    action({
      name: 'delete',
      summary: 'Delete a workspace with all its files',
      positionals: [{ name: 'WORKSPACE' }],
      options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id, name } = await findWorkspace(client, word);
        if (values.yes !== true) await confirm(context, `Delete ${name} with all its files?`);
        await client.call('deleteWorkspace', { params: { workspace_id: id } });
        context.say(`Deleted ${name}.`);
        return EXIT.ok;
      },
    }),
  ],
});
