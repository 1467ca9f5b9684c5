import type { Client } from '@chatd/client';
import { confirm } from '../access/read-secret.ts';
import { usageError } from '../command-failed.ts';
import { action, group } from '../command-line/command.ts';
import { EXIT } from '../exit-codes.ts';
import { collect } from '../output/collect.ts';
import { JSON_OPTION, printJson } from '../output/listing.ts';
import { findUser } from './find-user.ts';
import { pick } from './pick.ts';
import { printTokens, type Token } from './print-tokens.ts';

const SCOPES = ['read', 'write', 'admin', 'metrics'] as const;
const DAY_MS = 24 * 60 * 60 * 1000;

const listTokens = (client: Client): Promise<Token[]> =>
  collect(client.tokens.each({ limit: 200 }));

export const tokens = group({
  name: 'token',
  summary: 'API tokens: list, create, revoke',
  commands: [
    action({
      name: 'list',
      summary: 'Your API tokens',
      options: JSON_OPTION,
      async run({ values, context }) {
        printTokens(context, await listTokens(await context.client()), values.json);
        return EXIT.ok;
      },
    }),
    action({
      name: 'create',
      summary: 'Make a token; its secret is printed to stdout, this once',
      positionals: [{ name: 'NAME' }],
      options: {
        scope: {
          type: 'string',
          multiple: true,
          choices: SCOPES,
          help: 'What it may do; all that you may unless told',
        },
        days: { type: 'string', value: 'N', help: 'How long it is valid; for ever unless told' },
        user: { type: 'string', value: 'NAME', help: 'As an admin: for another user' },
        ...JSON_OPTION,
      },
      examples: [
        ['chatd token create ci --scope read --scope write --days 90', 'for a pipeline'],
        ['chatd token create laptop > token', 'into a file: only the secret goes to stdout'],
      ],
      async run({ values, positionals: [name = ''], context }) {
        const client = await context.client();
        const user = values.user === undefined ? undefined : await findUser(client, values.user);
        const made = await client.call('createToken', {
          body: {
            name,
            ...(values.scope && { scopes: values.scope as (typeof SCOPES)[number][] }),
            ...(values.days !== undefined && { expires_at: inDays(values.days, context.now()) }),
            ...(user && { user_id: user.id }),
          },
        });
        if (values.json === true) printJson(context, made);
        else context.print(`${made.token}\n`);
        context.say(`Made the token ${made.id}. The secret is not shown again.`);
        return EXIT.ok;
      },
    }),
    action({
      name: 'delete',
      summary: 'Revoke a token',
      positionals: [{ name: 'TOKEN' }],
      options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const found = pick(await listTokens(client), word, 'token', ({ name }) => [name]);
        if (values.yes !== true) await confirm(context, `Revoke the token ${found.name}?`);
        await client.call('deleteToken', { params: { token_id: found.id } });
        context.say(`Revoked the token ${found.name}.`);
        return EXIT.ok;
      },
    }),
  ],
});

function inDays(text: string, now: number): string {
  const days = Number(text);
  if (!Number.isFinite(days) || days <= 0) throw usageError(`--days must be a number above 0.`);
  return new Date(now + days * DAY_MS).toISOString();
}
