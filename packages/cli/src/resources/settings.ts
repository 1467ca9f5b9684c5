import { usageError } from '../command-failed.ts';
import { command, group, JSON_OPTION, type Run } from '../command-line/command.ts';
import { printRecord } from '../output/listing.ts';
import { bodyFor, fieldsOf, SET_OPTION } from './fields.ts';

export const settings = (run: Run) =>
  group('settings', 'Manage deployment settings', [
    command('show', 'Show all settings')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, { json }) => {
          const client = await context.client();
          printRecord(context, await client.call('getSettings'), json);
        }),
      ),
    command('update', 'Change settings; all others keep their values', {
      examples: [
        ['chatd settings update --set max_steps_per_turn=200', 'Limit the steps of a turn'],
        [
          'chatd settings update --set dynamic_tool_timeout_seconds=null',
          'Wait for results of dynamic tools without a timeout',
        ],
      ],
    })
      .addOption(SET_OPTION)
      .addOption(JSON_OPTION)
      .action(
        run(async (context, { set, json }) => {
          if (set === undefined) {
            throw usageError(
              'No setting was given.',
              'Use --set NAME=VALUE. chatd settings show lists the names.',
            );
          }
          const client = await context.client();
          const changed = await client.call('updateSettings', {
            body: bodyFor('updateSettings', fieldsOf(set)),
          });
          printRecord(context, changed, json);
        }),
      ),
  ]);
