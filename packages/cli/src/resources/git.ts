import type { CallAnswer, Client } from '@chatd/client';
import { confirm, readLine } from '../access/read-secret.ts';
import {
  collect,
  command,
  group,
  JSON_OPTION,
  Option,
  type Run,
  YES_OPTION,
} from '../command-line/command.ts';
import { printRecord } from '../output/listing.ts';
import { bodyFor } from './fields.ts';
import { pick } from './pick.ts';
import { listCommand } from './resource-commands.ts';

type GitConnection = CallAnswer<'listGitConnections'>['git_connections'][number];

const KINDS = ['github', 'gitlab', 'other'] as const;

const listConnections = async (client: Client): Promise<GitConnection[]> =>
  (await client.call('listGitConnections')).git_connections;

export const git = (run: Run) =>
  group('git', 'Connect GitHub, GitLab, or another git host to your workspaces', [
    command('connect', 'Connect a git host with a token, or replace its token', {
      examples: [
        ['chatd git connect github.com', 'Asks for the token'],
        [
          'chatd git connect git.example.com --kind gitlab --repository "team/*" < token',
          'A GitLab server, limited to the repositories of a team',
        ],
      ],
    })
      .argument('<host>')
      .addOption(
        new Option(
          '--kind <kind>',
          'Kind of the host. Default: github for github.com, gitlab for gitlab.com, else other',
        ).choices(KINDS),
      )
      .option('--username <name>', 'User name that git sends with the token')
      .option(
        '--repository <pattern>',
        'Repository that workspaces can access: owner/name or owner/*. Repeatable. Default: all',
        collect,
      )
      .addOption(JSON_OPTION)
      .action(
        run(async (context, host, { kind, username, repository, json }) => {
          const client = await context.client();
          const token = await readLine(context, `Token for ${host}`, { secret: true });
          const repositories = repository && [...repository];
          const connection = await client.call('createGitConnection', {
            body: bodyFor('createGitConnection', { host, token, username, repositories }, { kind }),
          });
          printRecord(context, connection, json);
        }),
      ),
    listCommand(
      run,
      'List your git connections',
      listConnections,
      () => [
        { title: 'HOST', value: ({ host }) => host },
        { title: 'KIND', value: ({ kind }) => kind },
        { title: 'ACCOUNT', value: ({ account }) => account ?? '' },
        {
          title: 'REPOSITORIES',
          value: ({ repositories }) => repositories?.join(', ') ?? 'all',
          flexible: true,
        },
      ],
      'You have no git connections. Create one: chatd git connect HOST',
    ),
    command('remove', 'Disconnect a git host')
      .argument('<host>')
      .addOption(YES_OPTION)
      .action(
        run(async (context, word, { yes }) => {
          const client = await context.client();
          const found = pick(await listConnections(client), word, 'git connection', ({ host }) => [
            host,
          ]);
          if (yes !== true) await confirm(context, `Disconnect ${found.host}?`);
          await client.call('deleteGitConnection', { params: { git_connection_id: found.id } });
          context.log(`Disconnected ${found.host}.`);
        }),
      ),
  ]);
