import type { CallAnswer, Client } from '@chatd/client';
import { confirm } from '../access/read-secret.ts';
import { action, group } from '../command-line/command.ts';
import { EXIT } from '../exit-codes.ts';
import { JSON_OPTION, printJson, printList, printRecord } from '../output/listing.ts';
import { money, tokens } from '../output/quantities.ts';
import { bodyFor, fieldsOf, SET_OPTION, wholeNumber } from './fields.ts';
import { pick } from './pick.ts';
import { findProvider } from './providers.ts';
import { printTest } from './test-result.ts';

export type Model = CallAnswer<'getModelConfig'>;

export async function listModels(client: Client): Promise<Model[]> {
  const { model_configs } = await client.call('listModelConfigs');
  return model_configs;
}

/** By its id, the name that people know, or the provider's own. */
export async function findModel(client: Client, word: string): Promise<Model> {
  return pick(await listModels(client), word, 'model', (row) => [row.display_name, row.model]);
}

const perMillion = ({ price }: Pick<Model, 'price'>) =>
  price === undefined ? '' : `${money(price.input)} / ${money(price.output)}`;

const CHANGEABLE = {
  'context-limit': { type: 'string', value: 'TOKENS', help: 'How much it can read' },
  'max-output-tokens': { type: 'string', value: 'TOKENS', help: 'How much it may say at once' },
  default: { type: 'boolean', help: 'The one that chats have unless they say otherwise' },
  ...SET_OPTION,
  ...JSON_OPTION,
} as const;

export const models = group({
  name: 'model',
  summary: 'Models: list, offers, create, show, update, test, delete',
  commands: [
    action({
      name: 'list',
      summary: 'The models that chats can use',
      options: JSON_OPTION,
      async run({ values, context }) {
        printList(
          context,
          await listModels(await context.client()),
          [
            { title: 'ID', value: ({ id }) => id },
            { title: 'NAME', value: ({ display_name }) => display_name, flexible: true },
            { title: 'MODEL', value: ({ model }) => model },
            {
              title: 'CONTEXT',
              align: 'right',
              value: ({ context_limit }) => tokens(context_limit),
            },
            { title: 'PER MILLION', value: perMillion },
            { title: '', value: noteOf },
          ],
          { json: values.json, none: 'There are no models. Add one: chatd model create --help' },
        );
        return EXIT.ok;
      },
    }),
    action({
      name: 'offers',
      summary: 'What each enabled provider offers',
      positionals: [{ name: 'PROVIDER', optional: true }],
      options: { refresh: { type: 'boolean', help: 'Ask the providers again' }, ...JSON_OPTION },
      async run({ values, positionals: [word], context }) {
        const client = await context.client();
        const { providers } = await client.call('listModels', {
          query: { refresh: values.refresh === true ? 'true' : undefined },
        });
        const chosen =
          word === undefined
            ? providers
            : [
                pick(
                  providers.map((offer) => ({ ...offer, id: offer.provider_id })),
                  word,
                  'provider',
                  ({ name }) => [name],
                ),
              ];
        for (const { name, error } of chosen) {
          if (error !== undefined) context.say(`${name} could not be asked: ${error.message}`);
        }
        if (values.json === true) printJson(context, chosen);
        else {
          const rows = chosen.flatMap(({ name, models }) =>
            models.map((model) => ({ ...model, provider: name })),
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
              { title: 'PER MILLION', value: perMillion },
              { title: '', value: ({ configured }) => (configured ? 'configured' : '') },
            ],
            { json: false, none: 'No enabled provider offers a model.' },
          );
        }
        return EXIT.ok;
      },
    }),
    action({
      name: 'create',
      summary: 'Add a model; what is not given is taken from the catalogue of known models',
      positionals: [{ name: 'PROVIDER' }, { name: 'MODEL' }],
      options: { name: { type: 'string', value: 'NAME', help: 'What people see' }, ...CHANGEABLE },
      examples: [
        ['chatd model create Anthropic claude-sonnet-4-5 --default', 'as the default'],
        [
          `chatd model create OpenAI gpt-5 --set reasoning_effort.default=low --set reasoning_effort.max=high`,
          'with fields of the API',
        ],
      ],
      async run({ values, positionals: [provider = '', model = ''], context }) {
        const client = await context.client();
        const { id } = await findProvider(client, provider);
        const made = await client.call('createModelConfig', {
          body: bodyFor('createModelConfig', { provider_id: id, model }, changes(values)),
        });
        printRecord(context, made, values.json);
        return EXIT.ok;
      },
    }),
    action({
      name: 'show',
      summary: 'One model with all its settings',
      positionals: [{ name: 'MODEL' }],
      options: JSON_OPTION,
      async run({ values, positionals: [word = ''], context }) {
        printRecord(context, await findModel(await context.client(), word), values.json);
        return EXIT.ok;
      },
    }),
    action({
      name: 'update',
      summary: 'Change a model; null takes a setting away',
      positionals: [{ name: 'MODEL' }],
      options: {
        name: { type: 'string', value: 'NAME', help: 'What people see' },
        enable: { type: 'boolean', help: 'To be used' },
        disable: { type: 'boolean', help: 'Not to be used' },
        ...CHANGEABLE,
      },
      examples: [['chatd model update "Claude Sonnet" --set temperature=null', '']],
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id } = await findModel(client, word);
        const enabled = values.enable ?? (values.disable === true ? false : undefined);
        const model = await client.call('updateModelConfig', {
          params: { model_config_id: id },
          body: bodyFor('updateModelConfig', { enabled }, changes(values)),
        });
        printRecord(context, model, values.json);
        return EXIT.ok;
      },
    }),
    action({
      name: 'test',
      summary: 'Ask the model for a word, and say what happened',
      positionals: [{ name: 'MODEL' }],
      options: JSON_OPTION,
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id } = await findModel(client, word);
        const result = await client.call('testModelConfig', { params: { model_config_id: id } });
        return printTest(context, result, values.json);
      },
    }),
    action({
      name: 'delete',
      summary: 'Delete a model that no chat uses',
      positionals: [{ name: 'MODEL' }],
      options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id, display_name } = await findModel(client, word);
        if (values.yes !== true) await confirm(context, `Delete ${display_name}?`);
        await client.call('deleteModelConfig', { params: { model_config_id: id } });
        context.say(`Deleted ${display_name}.`);
        return EXIT.ok;
      },
    }),
  ],
});

const noteOf = ({ is_default, enabled }: Model) =>
  [is_default && 'default', !enabled && 'disabled'].filter(Boolean).join(', ');

interface Changes {
  readonly name?: string;
  readonly 'context-limit'?: string;
  readonly 'max-output-tokens'?: string;
  readonly default?: boolean;
  readonly set?: readonly string[];
}

const changes = (values: Changes): object => ({
  display_name: values.name,
  context_limit: wholeNumber(values['context-limit'], '--context-limit'),
  max_output_tokens: wholeNumber(values['max-output-tokens'], '--max-output-tokens'),
  is_default: values.default,
  ...fieldsOf(values.set),
});
