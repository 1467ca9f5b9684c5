import type { CallAnswer, Client } from '@chatd/client';
import { confirm, readLine } from '../access/read-secret.ts';
import { action, group } from '../command-line/command.ts';
import { EXIT } from '../exit-codes.ts';
import { JSON_OPTION, printList, printRecord } from '../output/listing.ts';
import { bodyFor, fieldsOf, SET_OPTION } from './fields.ts';
import { pick } from './pick.ts';
import { printTest } from './test-result.ts';

type Provider = CallAnswer<'getProvider'>;
const TYPES = [
  'anthropic',
  'openai',
  'google',
  'azure',
  'bedrock',
  'openai-compatible',
  'openrouter',
  'vercel',
] as const;
const KEY = {
  type: 'boolean',
  help: 'Ask for the API key; it is read from stdin where that is no terminal',
} as const;

export async function findProvider(client: Client, word: string): Promise<Provider> {
  const { providers } = await client.call('listProviders');
  return pick(providers, word, 'provider', ({ name }) => [name]);
}

export const providers = group({
  name: 'provider',
  summary: 'Providers of models: list, create, show, update, test, delete',
  commands: [
    action({
      name: 'list',
      summary: 'All providers',
      options: JSON_OPTION,
      async run({ values, context }) {
        const { providers } = await (await context.client()).call('listProviders');
        printList(
          context,
          providers,
          [
            { title: 'ID', value: ({ id }) => id },
            { title: 'NAME', value: ({ name }) => name, flexible: true },
            { title: 'TYPE', value: ({ type }) => type },
            { title: 'KEY', value: keyOf },
            { title: 'ENABLED', value: ({ enabled }) => (enabled ? 'yes' : 'no') },
          ],
          { json: values.json, none: 'There are no providers.' },
        );
        return EXIT.ok;
      },
    }),
    action({
      name: 'create',
      summary: 'Add a provider',
      positionals: [{ name: 'TYPE', choices: TYPES }, { name: 'NAME' }],
      options: {
        'base-url': { type: 'string', value: 'URL', help: 'Where its API is, with /v1' },
        key: KEY,
        disabled: { type: 'boolean', help: 'Not to be used yet' },
        ...SET_OPTION,
        ...JSON_OPTION,
      },
      examples: [
        ['chatd provider create anthropic Anthropic --key', 'asks for the key'],
        [
          'chatd provider create openai-compatible Ollama --base-url http://127.0.0.1:11434/v1',
          'a model server of your own, without a key',
        ],
      ],
      async run({ values, positionals: [type = '', name = ''], context }) {
        const client = await context.client();
        const provider = await client.call('createProvider', {
          body: bodyFor(
            'createProvider',
            {
              type,
              name,
              base_url: values['base-url'],
              api_key: values.key === true ? await askKey(context) : undefined,
              enabled: values.disabled === true ? false : undefined,
            },
            fieldsOf(values.set),
          ),
        });
        printRecord(context, provider, values.json);
        context.say(`Try it: chatd provider test ${provider.id}`);
        return EXIT.ok;
      },
    }),
    action({
      name: 'show',
      summary: 'One provider',
      positionals: [{ name: 'PROVIDER' }],
      options: JSON_OPTION,
      async run({ values, positionals: [word = ''], context }) {
        printRecord(context, await findProvider(await context.client(), word), values.json);
        return EXIT.ok;
      },
    }),
    action({
      name: 'update',
      summary: 'Change a provider',
      positionals: [{ name: 'PROVIDER' }],
      options: {
        name: { type: 'string', value: 'NAME', help: 'What it is called' },
        'base-url': { type: 'string', value: 'URL', help: 'Where its API is' },
        key: KEY,
        enable: { type: 'boolean', help: 'To be used' },
        disable: { type: 'boolean', help: 'Not to be used' },
        ...SET_OPTION,
        ...JSON_OPTION,
      },
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id } = await findProvider(client, word);
        const provider = await client.call('updateProvider', {
          params: { provider_id: id },
          body: bodyFor(
            'updateProvider',
            {
              name: values.name,
              base_url: values['base-url'],
              api_key: values.key === true ? await askKey(context) : undefined,
              enabled: values.enable ?? (values.disable === true ? false : undefined),
            },
            fieldsOf(values.set),
          ),
        });
        printRecord(context, provider, values.json);
        return EXIT.ok;
      },
    }),
    action({
      name: 'test',
      summary: 'Ask the provider for its models, and say what happened',
      positionals: [{ name: 'PROVIDER' }],
      options: JSON_OPTION,
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id } = await findProvider(client, word);
        const result = await client.call('testProvider', { params: { provider_id: id } });
        return printTest(context, result, values.json);
      },
    }),
    action({
      name: 'delete',
      summary: 'Delete a provider with its models',
      positionals: [{ name: 'PROVIDER' }],
      options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id, name } = await findProvider(client, word);
        if (values.yes !== true) await confirm(context, `Delete ${name} with its models?`);
        await client.call('deleteProvider', { params: { provider_id: id } });
        context.say(`Deleted ${name}.`);
        return EXIT.ok;
      },
    }),
  ],
});

function keyOf({ has_api_key, key_source }: Provider): string {
  if (has_api_key === undefined) return '';
  return has_api_key ? (key_source ?? 'yes') : 'none';
}

const askKey = (context: Parameters<typeof readLine>[0]) =>
  readLine(context, 'API key', { secret: true });
