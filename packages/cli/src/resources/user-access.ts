import type { Client } from '@chatd/client';
import { confirm } from '../access/read-secret.ts';
import { action } from '../command-line/command.ts';
import { EXIT } from '../exit-codes.ts';
import { collect } from '../output/collect.ts';
import { JSON_OPTION, printJson } from '../output/listing.ts';
import { findUser } from './find-user.ts';
import { pick } from './pick.ts';
import { printTokens, type Token } from './print-tokens.ts';

const YES = { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } } as const;

/** Commands with which an admin takes away what a user has. */
export const userAccess = [
  action({
    name: 'suspend',
    summary: 'Lock a user out: end sessions, streams and running chats',
    details: `Tokens of the user are refused until the suspension is lifted. Chats and files are kept.`,
    positionals: [{ name: 'USER' }],
    options: YES,
    async run({ values, positionals: [word = ''], context }) {
      const client = await context.client();
      const { id, username } = await findUser(client, word);
      if (values.yes !== true) await confirm(context, `Suspend ${username}?`);
      await client.call('updateUser', { params: { user_id: id }, body: { suspended: true } });
      context.say(`Suspended ${username}.`);
      return EXIT.ok;
    },
  }),
  action({
    name: 'resume',
    summary: 'Lift the suspension of a user',
    positionals: [{ name: 'USER' }],
    async run({ positionals: [word = ''], context }) {
      const client = await context.client();
      const { id, username } = await findUser(client, word);
      await client.call('updateUser', { params: { user_id: id }, body: { suspended: false } });
      context.say(`${username} can sign in again.`);
      return EXIT.ok;
    },
  }),
  action({
    name: 'interrupt',
    summary: 'Interrupt the running chats of a user',
    positionals: [{ name: 'USER' }],
    options: {
      chat: { type: 'string', value: 'ID', multiple: true, help: 'Only this chat' },
      ...JSON_OPTION,
    },
    async run({ values, positionals: [word = ''], context }) {
      const client = await context.client();
      const { id, username } = await findUser(client, word);
      const interrupted = await client.call('interruptUser', {
        params: { user_id: id },
        body: values.chat === undefined ? {} : { chat_ids: values.chat },
      });
      if (values.json === true) printJson(context, interrupted);
      const { length } = interrupted.chat_ids;
      context.say(`Interrupted ${length} ${length === 1 ? 'chat' : 'chats'} of ${username}.`);
      return EXIT.ok;
    },
  }),
  action({
    name: 'tokens',
    summary: 'The API tokens of a user',
    positionals: [{ name: 'USER' }],
    options: JSON_OPTION,
    async run({ values, positionals: [word = ''], context }) {
      const client = await context.client();
      const { id } = await findUser(client, word);
      printTokens(context, await tokensOf(client, id), values.json);
      return EXIT.ok;
    },
  }),
  action({
    name: 'revoke',
    summary: 'Revoke an API token of a user',
    positionals: [{ name: 'USER' }, { name: 'TOKEN' }],
    options: YES,
    async run({ values, positionals: [word = '', token = ''], context }) {
      const client = await context.client();
      const { id, username } = await findUser(client, word);
      const found = pick(await tokensOf(client, id), token, 'token', ({ name }) => [name]);
      if (values.yes !== true) {
        await confirm(context, `Revoke the token ${found.name} of ${username}?`);
      }
      const params = { user_id: id, token_id: found.id };
      await client.call('deleteUserToken', { params });
      context.say(`Revoked the token ${found.name} of ${username}.`);
      return EXIT.ok;
    },
  }),
];

const tokensOf = (client: Client, user_id: string): Promise<Token[]> =>
  collect(client.iterate('listUserTokens', { params: { user_id }, query: { limit: 200 } }));
