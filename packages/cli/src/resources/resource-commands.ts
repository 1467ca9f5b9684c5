import type { Client } from '@chatd/client';
import { confirm } from '../access/read-secret.ts';
import { command, JSON_OPTION, type Run, YES_OPTION } from '../command-line/command.ts';
import type { Context } from '../context.ts';
import { printList, printRecord } from '../output/listing.ts';
import type { Column } from '../output/table.ts';

type Find<Found> = (client: Client, word: string) => Promise<Found>;

/** `chatd provider list`, and the same for other objects. `none` is printed for an empty list. */
export const listCommand = <Row>(
  run: Run,
  summary: string,
  rows: (client: Client) => Promise<readonly Row[]>,
  columns: (context: Context) => readonly Column<Row>[],
  none: string,
) =>
  command('list', summary)
    .addOption(JSON_OPTION)
    .action(
      run(async (context, { json }) => {
        printList(context, await rows(await context.client()), columns(context), { json, none });
      }),
    );

/** `chatd provider show`, and the same for other objects. `argument` is the placeholder, such as `<provider>`. */
export const showCommand = <Placeholder extends `<${string}>`>(
  run: Run,
  argument: Placeholder,
  summary: string,
  find: Find<object>,
) =>
  command('show', summary)
    .argument(argument)
    .addOption(JSON_OPTION)
    .action(
      run(async (context, word, { json }) => {
        printRecord(context, await find(await context.client(), word), json);
      }),
    );

/** `chatd provider delete`, and the same for other objects. Asks before, unless `--yes` is set. */
export const deleteCommand = <Placeholder extends `<${string}>`, Found>(
  run: Run,
  argument: Placeholder,
  summary: string,
  find: Find<Found>,
  texts: { readonly name: (found: Found) => string; readonly question: (name: string) => string },
  remove: (client: Client, found: Found) => Promise<unknown>,
) =>
  command('delete', summary)
    .argument(argument)
    .addOption(YES_OPTION)
    .action(
      run(async (context, word, { yes }) => {
        const client = await context.client();
        const found = await find(client, word);
        const name = texts.name(found);
        if (yes !== true) await confirm(context, texts.question(name));
        await remove(client, found);
        context.log(`Deleted ${name}.`);
      }),
    );
