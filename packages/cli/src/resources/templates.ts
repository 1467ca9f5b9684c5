import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { CallAnswer, Client } from '@chatd/client';
import { usageError } from '../command-failed.ts';
import { command, group, JSON_OPTION, Option, type Run } from '../command-line/command.ts';
import type { Context } from '../context.ts';
import { printRecord } from '../output/listing.ts';
import { bodyFor, defined, fieldsOf, SET_OPTION } from './fields.ts';
import { pick } from './pick.ts';
import { deleteCommand, listCommand, showCommand } from './resource-commands.ts';

type Template = CallAnswer<'getTemplate'>;

const FROM_OPTION = new Option('--from <file>', 'Read the definition from a JSON file; - is stdin');

export async function findTemplate(client: Client, word: string): Promise<Template> {
  const { templates } = await client.call('listTemplates');
  return pick(templates, word, 'template', ({ name }) => [name]);
}

export const templates = (run: Run) =>
  group('template', 'Manage workspace templates', [
    listCommand(
      run,
      'List templates',
      async (client) => (await client.call('listTemplates')).templates,
      () => [
        { title: 'ID', value: ({ id }) => id },
        { title: 'NAME', value: ({ name }) => name },
        { title: 'DRIVER', value: ({ driver }) => driver },
        {
          title: 'DESCRIPTION',
          value: ({ description }) => description ?? '',
          flexible: true,
        },
        { title: '', value: ({ from_file }) => (from_file ? 'from a file' : '') },
      ],
      'There are no templates.',
    ),
    command('create', 'Add a template', {
      examples: [
        [
          'chatd template create shop --git https://example.org/shop.git --setup "npm ci"',
          'Clone a repository and install its dependencies',
        ],
        ['chatd template create shop --from shop.json', 'Read the definition from a file'],
      ],
    })
      .argument('<name>')
      .addOption(
        new Option('--driver <driver>', 'Workspace driver. Default: host').choices([
          'host',
          'docker',
        ] as const),
      )
      .option('--git <url>', 'Git repository to clone')
      .option('--ref <ref>', 'Branch, tag or commit to check out')
      .option('--setup <script>', 'Shell script that runs once in a new workspace')
      .option(
        '--network <mode>',
        'Network access: none, internet, or hosts separated by commas. Default: none',
      )
      .addOption(FROM_OPTION)
      .addOption(SET_OPTION)
      .addOption(JSON_OPTION)
      .action(
        run(async (context, name, options) => {
          const { git, ref, driver, setup, network, from, set, json } = options;
          if (ref !== undefined && git === undefined) throw usageError('--ref requires --git.');
          const client = await context.client();
          const template = await client.call('createTemplate', {
            body: bodyFor(
              'createTemplate',
              { name, driver: 'host' },
              await definitionFrom(context, from),
              {
                driver,
                source: git && { git: defined({ url: git, ref }) },
                setup,
                network: networkOf(network),
              },
              fieldsOf(set),
            ),
          });
          printRecord(context, template, json);
        }),
      ),
    showCommand(run, '<template>', 'Show a template', findTemplate),
    command('update', 'Change a template; existing workspaces are not affected')
      .argument('<template>')
      .option('--name <name>', 'Name')
      .addOption(FROM_OPTION)
      .addOption(SET_OPTION)
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { name, from, set, json }) => {
          const client = await context.client();
          const { id } = await findTemplate(client, word);
          const template = await client.call('updateTemplate', {
            params: { template_id: id },
            body: bodyFor(
              'updateTemplate',
              await definitionFrom(context, from),
              { name },
              fieldsOf(set),
            ),
          });
          printRecord(context, template, json);
        }),
      ),
    deleteCommand(
      run,
      '<template>',
      'Delete a template; existing workspaces are kept',
      findTemplate,
      { name: ({ name }) => name, question: (name) => `Delete the template ${name}?` },
      (client, { id }) => client.call('deleteTemplate', { params: { template_id: id } }),
    ),
  ]);

function networkOf(mode: string | undefined) {
  if (mode === undefined || mode === 'none' || mode === 'internet') return mode;
  return { allowlist: mode.split(',').map((host) => host.trim()) };
}

async function definitionFrom({ stdin }: Context, file: string | undefined): Promise<object> {
  if (file === undefined) return {};
  const json = file === '-' ? await text(stdin) : await readFile(file, 'utf8');
  try {
    const value = JSON.parse(json) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Reported below.
  }
  throw usageError(`${file} does not contain a JSON object.`);
}
