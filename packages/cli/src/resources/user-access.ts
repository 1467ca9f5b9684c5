import type { Client } from '@chatd/client';
import { confirm } from '../access/read-secret.ts';
import { collect, command, JSON_OPTION, type Run, YES_OPTION } from '../command-line/command.ts';
import { printJson } from '../output/listing.ts';
import { toArray } from '../output/to-array.ts';
import { findUser } from './find-user.ts';
import { pick } from './pick.ts';
import { printTokens, type Token } from './print-tokens.ts';

/** Commands that restrict or restore the access of a user. */
export const userAccess = (run: Run) => [
  command('suspend', 'Suspend a user: end sessions, streams and running chats', {
    details:
      'Tokens of the user are refused until the suspension is lifted. Chats and files are kept.',
  })
    .argument('<user>')
    .addOption(YES_OPTION)
    .action(
      run(async (context, word, { yes }) => {
        const client = await context.client();
        const { id, username } = await findUser(client, word);
        if (yes !== true) await confirm(context, `Suspend ${username}?`);
        await client.call('updateUser', { params: { user_id: id }, body: { suspended: true } });
        context.log(`Suspended ${username}.`);
      }),
    ),
  command('resume', 'Lift the suspension of a user')
    .argument('<user>')
    .action(
      run(async (context, word) => {
        const client = await context.client();
        const { id, username } = await findUser(client, word);
        await client.call('updateUser', { params: { user_id: id }, body: { suspended: false } });
        context.log(`${username} can sign in again.`);
      }),
    ),
  command('interrupt', 'Interrupt the running chats of a user')
    .argument('<user>')
    .option('--chat <id>', 'Interrupt only this chat. Repeatable', collect)
    .addOption(JSON_OPTION)
    .action(
      run(async (context, word, { chat, json }) => {
        const client = await context.client();
        const { id, username } = await findUser(client, word);
        const interrupted = await client.call('interruptUser', {
          params: { user_id: id },
          body: chat === undefined ? {} : { chat_ids: [...chat] },
        });
        if (json === true) printJson(context, interrupted);
        const { length } = interrupted.chat_ids;
        context.log(`Interrupted ${length} ${length === 1 ? 'chat' : 'chats'} of ${username}.`);
      }),
    ),
  command('tokens', 'List the API tokens of a user')
    .argument('<user>')
    .addOption(JSON_OPTION)
    .action(
      run(async (context, word, { json }) => {
        const client = await context.client();
        const { id } = await findUser(client, word);
        printTokens(context, await tokensOf(client, id), json);
      }),
    ),
  command('revoke', 'Revoke an API token of a user')
    .argument('<user>')
    .argument('<token>')
    .addOption(YES_OPTION)
    .action(
      run(async (context, word, token, { yes }) => {
        const client = await context.client();
        const { id, username } = await findUser(client, word);
        const found = pick(await tokensOf(client, id), token, 'token', ({ name }) => [name]);
        if (yes !== true) await confirm(context, `Revoke the token ${found.name} of ${username}?`);
        await client.call('deleteUserToken', { params: { user_id: id, token_id: found.id } });
        context.log(`Revoked the token ${found.name} of ${username}.`);
      }),
    ),
];

const tokensOf = (client: Client, user_id: string): Promise<Token[]> =>
  toArray(client.iterate('listUserTokens', { params: { user_id }, query: { limit: 200 } }));
