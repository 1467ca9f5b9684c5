import { usageError } from '../command-failed.ts';
import { action, group } from '../command-line/command.ts';
import { EXIT } from '../exit-codes.ts';
import { JSON_OPTION, printRecord } from '../output/listing.ts';
import { bodyFor, fieldsOf, SET_OPTION } from './fields.ts';

export const settings = group({
  name: 'settings',
  summary: 'Settings of the deployment: show, update',
  commands: [
    action({
      name: 'show',
      summary: 'Show all settings with their values',
      options: JSON_OPTION,
      async run({ values, context }) {
        const client = await context.client();
        printRecord(context, await client.call('getSettings'), values.json);
        return EXIT.ok;
      },
    }),
    action({
      name: 'update',
      summary: 'Change settings; settings that are not named keep their values',
      options: { ...SET_OPTION, ...JSON_OPTION },
      examples: [
        ['chatd settings update --set max_steps_per_turn=200', 'limit the steps of a turn'],
        [
          'chatd settings update --set dynamic_tool_timeout_seconds=null',
          'wait for results of dynamic tools without a timeout',
        ],
      ],
      async run({ values, context }) {
        if (values.set === undefined) {
          throw usageError(
            'No setting was given.',
            'Use --set NAME=VALUE. chatd settings show lists the names.',
          );
        }
        const client = await context.client();
        const changed = await client.call('updateSettings', {
          body: bodyFor('updateSettings', fieldsOf(values.set)),
        });
        printRecord(context, changed, values.json);
        return EXIT.ok;
      },
    }),
  ],
});
