import type { CallAnswer, Client } from '@chatd/client';
import { readLine } from '../access/read-secret.ts';
import {
  Argument,
  command,
  group,
  JSON_OPTION,
  Option,
  type Run,
} from '../command-line/command.ts';
import type { Context } from '../context.ts';
import { printRecord } from '../output/listing.ts';
import { bodyFor, enabledBy, fieldsOf, SET_OPTION } from './fields.ts';
import { pick } from './pick.ts';
import { printTest } from './test-result.ts';
import { deleteCommand, listCommand, showCommand } from './resource-commands.ts';

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
const BASE_URL_OPTION = new Option('--base-url <url>', 'Base URL of the API, including /v1');
const KEY_OPTION = new Option(
  '--key',
  'Prompt for the API key. Without a terminal, read it from stdin',
);

export async function findProvider(client: Client, word: string): Promise<Provider> {
  const { providers } = await client.call('listProviders');
  return pick(providers, word, 'provider', ({ name }) => [name]);
}

export const providers = (run: Run) =>
  group('provider', 'Manage model providers', [
    listCommand(
      run,
      'List providers',
      async (client) => (await client.call('listProviders')).providers,
      () => [
        { title: 'ID', value: ({ id }) => id },
        { title: 'NAME', value: ({ name }) => name, flexible: true },
        { title: 'TYPE', value: ({ type }) => type },
        { title: 'KEY', value: keySource },
        { title: 'ENABLED', value: ({ enabled }) => (enabled ? 'yes' : 'no') },
      ],
      'There are no providers.',
    ),
    command('create', 'Add a provider', {
      examples: [
        ['chatd provider create anthropic Anthropic --key', 'Prompt for the API key'],
        [
          'chatd provider create openai-compatible Ollama --base-url http://127.0.0.1:11434/v1',
          'Add a local model server without a key',
        ],
      ],
    })
      .addArgument(new Argument('<type>', 'Provider type').choices(TYPES))
      .argument('<name>', 'Display name')
      .addOption(BASE_URL_OPTION)
      .addOption(KEY_OPTION)
      .option('--disabled', 'Add it disabled')
      .addOption(SET_OPTION)
      .addOption(JSON_OPTION)
      .action(
        run(async (context, type, name, options) => {
          const client = await context.client();
          const provider = await client.call('createProvider', {
            body: bodyFor(
              'createProvider',
              {
                type,
                name,
                base_url: options.baseUrl,
                api_key: await askKey(context, options.key),
                enabled: options.disabled === true ? false : undefined,
              },
              fieldsOf(options.set),
            ),
          });
          printRecord(context, provider, options.json);
          context.log(`Test it: chatd provider test ${provider.id}`);
        }),
      ),
    showCommand(run, '<provider>', 'Show a provider', findProvider),
    command('update', 'Change a provider')
      .argument('<provider>')
      .option('--name <name>', 'Display name')
      .addOption(BASE_URL_OPTION)
      .addOption(KEY_OPTION)
      .option('--enable', 'Enable it')
      .option('--disable', 'Disable it')
      .addOption(SET_OPTION)
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, options) => {
          const client = await context.client();
          const { id } = await findProvider(client, word);
          const provider = await client.call('updateProvider', {
            params: { provider_id: id },
            body: bodyFor(
              'updateProvider',
              {
                name: options.name,
                base_url: options.baseUrl,
                api_key: await askKey(context, options.key),
                enabled: enabledBy(options),
              },
              fieldsOf(options.set),
            ),
          });
          printRecord(context, provider, options.json);
        }),
      ),
    command('test', 'Connect to a provider and list its models')
      .argument('<provider>')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { json }) => {
          const client = await context.client();
          const { id } = await findProvider(client, word);
          const result = await client.call('testProvider', { params: { provider_id: id } });
          return printTest(context, result, json);
        }),
      ),
    deleteCommand(
      run,
      '<provider>',
      'Delete a provider and its models',
      findProvider,
      { name: ({ name }) => name, question: (name) => `Delete ${name} and its models?` },
      (client, { id }) => client.call('deleteProvider', { params: { provider_id: id } }),
    ),
  ]);

function keySource({ has_api_key, key_source }: Provider): string {
  if (has_api_key === undefined) return '';
  return has_api_key ? (key_source ?? 'yes') : 'none';
}

const askKey = async (context: Context, isAsked: boolean | undefined) =>
  isAsked === true ? await readLine(context, 'API key', { secret: true }) : undefined;
