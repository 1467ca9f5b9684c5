import type { Client } from '@chatd/client';
import { command, JSON_OPTION, type Run } from '../command-line/command.ts';
import { printRecord } from '../output/listing.ts';

/** `chatd provider show`, and the same for other objects. `argument` is the placeholder, such as `<provider>`. */
export const showCommand = <Placeholder extends `<${string}>`>(
  run: Run,
  argument: Placeholder,
  summary: string,
  find: (client: Client, word: string) => Promise<object>,
) =>
  command('show', summary)
    .argument(argument)
    .addOption(JSON_OPTION)
    .action(
      run(async (context, word, { json }) => {
        printRecord(context, await find(await context.client(), word), json);
      }),
    );
