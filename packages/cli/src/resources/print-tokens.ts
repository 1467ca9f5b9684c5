import type { CallAnswer } from '@chatd/client';
import type { Context } from '../context.ts';
import { printList } from '../output/listing.ts';
import { ago } from '../output/quantities.ts';

export type Token = CallAnswer<'listTokens'>['tokens'][number];

export function printTokens(
  context: Context,
  tokens: readonly Token[],
  json: boolean | undefined,
): void {
  const when = (time: string | null) => (time === null ? 'never' : ago(time, context.now()));
  printList(
    context,
    tokens,
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'NAME', value: ({ name }) => name, flexible: true },
      { title: 'SCOPES', value: ({ scopes }) => scopes?.join(',') ?? 'all' },
      { title: 'LAST USED', value: ({ last_used_at }) => when(last_used_at) },
      { title: 'EXPIRES', value: ({ expires_at }) => expires_at ?? 'never' },
    ],
    { json, none: 'There are no tokens.' },
  );
}
