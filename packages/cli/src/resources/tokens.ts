import type { Client } from '@chatd/client';
import { InvalidArgumentError } from 'commander';
import { confirm } from '../access/read-secret.ts';
import { usageError } from '../command-failed.ts';
import { command, group, JSON_OPTION, type Run, YES_OPTION } from '../command-line/command.ts';
import { printJson } from '../output/listing.ts';
import { toArray } from '../output/to-array.ts';
import { findUser } from './find-user.ts';
import { pick } from './pick.ts';
import { printTokens, type Token } from './print-tokens.ts';

const SCOPES = ['read', 'write', 'admin', 'metrics'] as const;
type Scope = (typeof SCOPES)[number];
const DAY_MS = 24 * 60 * 60 * 1000;

const listTokens = (client: Client): Promise<Token[]> =>
  toArray(client.tokens.each({ limit: 200 }));

export const tokens = (run: Run) =>
  group('token', 'Manage your API tokens', [
    command('list', 'List your API tokens')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, { json }) => {
          printTokens(context, await listTokens(await context.client()), json);
        }),
      ),
    command('create', 'Create a token and print its secret once, to stdout', {
      examples: [
        ['chatd token create ci --scope read --scope write --days 90', 'For a pipeline'],
        ['chatd token create laptop > token', 'To a file: stdout contains only the secret'],
      ],
    })
      .argument('<name>')
      .option(
        '--scope <scope>',
        `Scope of the token: ${SCOPES.join(', ')}. Repeatable. Default: everything that you may do`,
        collectScopes,
      )
      .option('--days <n>', 'Days until it expires. Default: never')
      .option('--user <name>', 'Create it for another user. Requires an admin')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, name, { scope, days, user, json }) => {
          const client = await context.client();
          const owner = user === undefined ? undefined : await findUser(client, user);
          const created = await client.call('createToken', {
            body: {
              name,
              ...(scope && { scopes: [...scope] }),
              ...(days !== undefined && { expires_at: expiryAfter(days, context.now()) }),
              ...(owner && { user_id: owner.id }),
            },
          });
          if (json === true) printJson(context, created);
          else context.print(`${created.token}\n`);
          context.log(`Created the token ${created.id}. Its secret is not shown again.`);
        }),
      ),
    command('delete', 'Revoke a token')
      .argument('<token>')
      .addOption(YES_OPTION)
      .action(
        run(async (context, word, { yes }) => {
          const client = await context.client();
          const found = pick(await listTokens(client), word, 'token', ({ name }) => [name]);
          if (yes !== true) await confirm(context, `Revoke the token ${found.name}?`);
          await client.call('deleteToken', { params: { token_id: found.id } });
          context.log(`Revoked the token ${found.name}.`);
        }),
      ),
  ]);

function collectScopes(value: string, previous: readonly Scope[] = []): readonly Scope[] {
  const scope = SCOPES.find((one) => one === value);
  if (scope !== undefined) return [...previous, scope];
  throw new InvalidArgumentError(`Allowed choices are ${SCOPES.join(', ')}.`);
}

export function expiryAfter(text: string, now: number): string {
  const days = Number(text);
  if (!Number.isFinite(days) || days <= 0) {
    throw usageError(`--days must be a number above 0, not ${JSON.stringify(text)}.`);
  }
  return new Date(now + days * DAY_MS).toISOString();
}
