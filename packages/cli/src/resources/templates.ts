import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { CallAnswer, Client } from '@chatd/client';
import { confirm } from '../access/read-secret.ts';
import { usageError } from '../command-failed.ts';
import { action, group } from '../command-line/command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { JSON_OPTION, printList, printRecord } from '../output/listing.ts';
import { bodyFor, given, fieldsOf, SET_OPTION } from './fields.ts';
import { pick } from './pick.ts';

export type Template = CallAnswer<'getTemplate'>;

const FROM = {
  from: {
    type: 'string',
    value: 'FILE',
    completes: 'file',
    help: 'Its definition as JSON; - is stdin',
  },
} as const;

export async function findTemplate(client: Client, word: string): Promise<Template> {
  const { templates } = await client.call('listTemplates');
  return pick(templates, word, 'template', ({ name }) => [name]);
}

export const templates = group({
  name: 'template',
  summary: 'Templates of workspaces: list, create, show, update, delete',
  commands: [
    action({
      name: 'list',
      summary: 'What workspaces can be made from',
      options: JSON_OPTION,
      async run({ values, context }) {
        const { templates } = await (await context.client()).call('listTemplates');
        printList(
          context,
          templates,
          [
            { title: 'ID', value: ({ id }) => id },
            { title: 'NAME', value: ({ name }) => name },
            { title: 'DRIVER', value: ({ driver }) => driver },
            { title: 'DESCRIPTION', value: ({ description }) => description ?? '', flexible: true },
            { title: '', value: ({ from_file }) => (from_file ? 'from a file' : '') },
          ],
          { json: values.json, none: 'There are no templates.' },
        );
        return EXIT.ok;
      },
    }),
    action({
      name: 'create',
      summary: 'Add a template',
      positionals: [{ name: 'NAME' }],
      options: {
        driver: { type: 'string', choices: ['host', 'docker'], help: 'host unless told' },
        git: { type: 'string', value: 'URL', help: 'A repository to begin with' },
        ref: { type: 'string', value: 'REF', help: 'Its branch, tag or commit' },
        setup: { type: 'string', value: 'SCRIPT', help: 'A shell script that runs once' },
        network: {
          type: 'string',
          value: 'MODE',
          help: 'Network access: none, internet, or hosts separated by commas. Default: none',
        },
        ...FROM,
        ...SET_OPTION,
        ...JSON_OPTION,
      },
      examples: [
        ['chatd template create shop --git https://example.org/shop.git --setup "npm ci"', ''],
        ['chatd template create shop --from shop.json', 'all of it from a file'],
      ],
      async run({ values, positionals: [name = ''], context }) {
        if (values.ref !== undefined && values.git === undefined) {
          throw usageError('--ref needs --git.');
        }
        const source = values.git && { git: given({ url: values.git, ref: values.ref }) };
        const client = await context.client();
        const template = await client.call('createTemplate', {
          body: bodyFor(
            'createTemplate',
            { name, driver: 'host' },
            await definitionFrom(context, values.from),
            given({
              driver: values.driver,
              source,
              setup: values.setup,
              network: networkOf(values.network),
            }),
            fieldsOf(values.set),
          ),
        });
        printRecord(context, template, values.json);
        return EXIT.ok;
      },
    }),
    action({
      name: 'show',
      summary: 'One template',
      positionals: [{ name: 'TEMPLATE' }],
      options: JSON_OPTION,
      async run({ values, positionals: [word = ''], context }) {
        printRecord(context, await findTemplate(await context.client(), word), values.json);
        return EXIT.ok;
      },
    }),
    action({
      name: 'update',
      summary: 'Change a template; workspaces that were made from it stay as they are',
      positionals: [{ name: 'TEMPLATE' }],
      options: {
        name: { type: 'string', value: 'NAME', help: 'What it is called' },
        ...FROM,
        ...SET_OPTION,
        ...JSON_OPTION,
      },
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id } = await findTemplate(client, word);
        const template = await client.call('updateTemplate', {
          params: { template_id: id },
          body: bodyFor(
            'updateTemplate',
            await definitionFrom(context, values.from),
            { name: values.name },
            fieldsOf(values.set),
          ),
        });
        printRecord(context, template, values.json);
        return EXIT.ok;
      },
    }),
    action({
      name: 'delete',
      summary: 'Delete a template; workspaces that were made from it stay',
      positionals: [{ name: 'TEMPLATE' }],
      options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id, name } = await findTemplate(client, word);
        if (values.yes !== true) await confirm(context, `Delete the template ${name}?`);
        await client.call('deleteTemplate', { params: { template_id: id } });
        context.say(`Deleted ${name}.`);
        return EXIT.ok;
      },
    }),
  ],
});

function networkOf(text: string | undefined) {
  if (text === undefined || text === 'none' || text === 'internet') return text;
  return { allowlist: text.split(',').map((host) => host.trim()) };
}

async function definitionFrom({ stdin }: Context, file: string | undefined): Promise<object> {
  if (file === undefined) return {};
  const json = file === '-' ? await text(stdin) : await readFile(file, 'utf8');
  try {
    const value = JSON.parse(json) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Said below.
  }
  throw usageError(`${file} is not a JSON object.`);
}
