import type { CallAnswer, Client } from '@chatd/client';
import { command, group, JSON_OPTION, type Run } from '../command-line/command.ts';
import { printJson, printList, printRecord } from '../output/listing.ts';
import { money, tokens } from '../output/quantities.ts';
import { bodyFor, enabledBy, fieldsOf, SET_OPTION, wholeNumber } from './fields.ts';
import { GROUP_OPTIONS, groupIdsBy } from './groups.ts';
import { pick } from './pick.ts';
import { findProvider } from './providers.ts';
import { printTest } from './test-result.ts';
import { deleteCommand, listCommand, showCommand } from './resource-commands.ts';

export type Model = CallAnswer<'getModelConfig'>;

export async function listModels(client: Client): Promise<Model[]> {
  const { model_configs } = await client.call('listModelConfigs');
  return model_configs;
}

/** By ID, display name, or the provider's model name. */
export async function findModel(client: Client, word: string): Promise<Model> {
  return pick(await listModels(client), word, 'model', (row) => [row.display_name, row.model]);
}

const priceOf = ({ price }: Pick<Model, 'price'>) =>
  price === undefined ? '' : `${money(price.input)} / ${money(price.output)}`;

/** `create` or `update`, with the options of both. */
const changeCommand = (...definition: Parameters<typeof command>) =>
  command(...definition)
    .option('--name <name>', 'Display name')
    .option('--context-limit <tokens>', 'Context window of the model')
    .option('--max-output-tokens <tokens>', 'Maximum output tokens per model call')
    .option('--default', 'Make it the default model')
    .addOption(GROUP_OPTIONS[0])
    .addOption(GROUP_OPTIONS[1])
    .addOption(SET_OPTION)
    .addOption(JSON_OPTION);

export const models = (run: Run) =>
  group('model', 'Manage models', [
    listCommand(
      run,
      'List the models that chats can use',
      listModels,
      () => [
        { title: 'ID', value: ({ id }) => id },
        { title: 'NAME', value: ({ display_name }) => display_name, flexible: true },
        { title: 'MODEL', value: ({ model }) => model },
        { title: 'CONTEXT', align: 'right', value: (row) => tokens(row.context_limit) },
        { title: 'PER MILLION', value: priceOf },
        { title: '', value: noteOf },
      ],
      'There are no models. Add one: chatd model create --help',
    ),
    command('offers', 'List the models that each enabled provider offers')
      .argument('[provider]')
      .option('--refresh', 'Query the providers again')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { refresh, json }) => {
          const client = await context.client();
          const { providers } = await client.call('listModels', {
            query: { refresh: refresh === true ? 'true' : undefined },
          });
          const offers = providers.map((offer) => ({ ...offer, id: offer.provider_id }));
          const chosen =
            word === undefined ? offers : [pick(offers, word, 'provider', ({ name }) => [name])];
          for (const { name, error } of chosen) {
            if (error !== undefined) context.log(`Cannot query ${name}: ${error.message}`);
          }
          if (json === true) return printJson(context, chosen);
          const rows = chosen.flatMap(({ name, models: offered }) =>
            offered.map((model) => ({ ...model, provider: name })),
          );
          printList(
            context,
            rows,
            [
              { title: 'PROVIDER', value: ({ provider }) => provider },
              { title: 'MODEL', value: ({ id }) => id, flexible: true },
              {
                title: 'CONTEXT',
                align: 'right',
                value: ({ context_limit }) =>
                  context_limit === undefined ? '' : tokens(context_limit),
              },
              { title: 'PER MILLION', value: priceOf },
              { title: '', value: ({ configured }) => (configured ? 'configured' : '') },
            ],
            { json, none: 'No enabled provider offers a model.' },
          );
        }),
      ),
    changeCommand('create', 'Add a model; settings default to the catalog of known models', {
      examples: [
        ['chatd model create Anthropic claude-sonnet-4-5 --default', 'Make it the default'],
        [
          `chatd model create OpenAI gpt-5 --set reasoning_effort.default=low --set reasoning_effort.max=high`,
          'Set API fields',
        ],
      ],
    })
      .argument('<provider>')
      .argument('<model>')
      .action(
        run(async (context, provider, model, options) => {
          const client = await context.client();
          const { id } = await findProvider(client, provider);
          const created = await client.call('createModelConfig', {
            body: bodyFor(
              'createModelConfig',
              { provider_id: id, model },
              await groupIdsBy(client, options),
              changes(options),
            ),
          });
          printRecord(context, created, options.json);
        }),
      ),
    showCommand(run, '<model>', 'Show a model and its settings', findModel),
    changeCommand('update', 'Change a model; null removes a setting', {
      examples: [
        ['chatd model update "Claude Sonnet" --set temperature=null', 'Remove the temperature'],
      ],
    })
      .argument('<model>')
      .option('--enable', 'Enable it')
      .option('--disable', 'Disable it')
      .action(
        run(async (context, word, options) => {
          const client = await context.client();
          const { id } = await findModel(client, word);
          const model = await client.call('updateModelConfig', {
            params: { model_config_id: id },
            body: bodyFor(
              'updateModelConfig',
              { enabled: enabledBy(options) },
              await groupIdsBy(client, options),
              changes(options),
            ),
          });
          printRecord(context, model, options.json);
        }),
      ),
    command('test', 'Send a short prompt to a model')
      .argument('<model>')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { json }) => {
          const client = await context.client();
          const { id } = await findModel(client, word);
          const result = await client.call('testModelConfig', { params: { model_config_id: id } });
          return printTest(context, result, json);
        }),
      ),
    deleteCommand(
      run,
      '<model>',
      'Delete a model that no chat uses',
      findModel,
      { name: ({ display_name }) => display_name, question: (name) => `Delete ${name}?` },
      (client, { id }) => client.call('deleteModelConfig', { params: { model_config_id: id } }),
    ),
  ]);

const noteOf = ({ is_default, enabled }: Model) =>
  [is_default && 'default', !enabled && 'disabled'].filter(Boolean).join(', ');

const changes = (options: ReturnType<ReturnType<typeof changeCommand>['opts']>): object => ({
  display_name: options.name,
  context_limit: wholeNumber(options.contextLimit, '--context-limit'),
  max_output_tokens: wholeNumber(options.maxOutputTokens, '--max-output-tokens'),
  is_default: options.default,
  ...fieldsOf(options.set),
});
