import type { Client } from '@chatd/client';
import { confirm } from '../access/read-secret.ts';
import { command, JSON_OPTION, type Run, YES_OPTION } from '../command-line/command.ts';
import type { Context } from '../context.ts';
import { printList, printRecord } from '../output/listing.ts';
import type { Column } from '../output/table.ts';
import { listUsers } from './find-user.ts';

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

/** `chatd triggers list`, and the same for other objects that users own. Admins list those of all users with `--all`. */
export const ownedListCommand = <Row extends { readonly owner_id: string }>(
  run: Run,
  what: string,
  rows: (client: Client, query: { readonly all?: boolean }) => Promise<readonly Row[]>,
  columns: readonly Column<Row>[],
  none: string,
) =>
  command('list', `List your ${what}`)
    .option('--all', `List the ${what} of all users. Requires an admin; access is logged`)
    .addOption(JSON_OPTION)
    .action(
      run(async (context, { all, json }) => {
        const client = await context.client();
        if (all !== true) {
          return printList(context, await rows(client, {}), columns, { json, none });
        }
        const [found, users] = await Promise.all([rows(client, { all }), listUsers(client)]);
        const names = new Map(users.map(({ id, username }) => [id, username]));
        const owner: Column<Row> = {
          title: 'OWNER',
          value: ({ owner_id }) => names.get(owner_id) ?? owner_id,
        };
        printList(context, found, [...columns, owner], { json, none: `There are no ${what}.` });
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
