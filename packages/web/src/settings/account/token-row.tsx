import type { Token } from '@chatd/protocol';
import { useState } from 'react';
import { dateAndTime } from '../../format/time.ts';
import { client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Row } from '../parts/rows.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

export function OwnTokenRow({ token }: { readonly token: Token }) {
  const params = { token_id: token.id };
  return <TokenRow token={token} revoke={() => client.call('deleteToken', { params })} />;
}

export function TokenRow({
  token,
  revoke,
}: {
  readonly token: Token;
  readonly revoke: () => Promise<unknown>;
}) {
  const { name, scopes, expires_at, last_used_at, created_at } = token;
  const changed = useInvalidateQueries();
  const [now] = useState(() => Date.now());
  const expired = expires_at !== null && Date.parse(expires_at) <= now;
  const remove = async () => {
    await revoke();
    await changed();
  };
  return (
    <Row
      title={name}
      badges={
        <>
          {(scopes ?? ['full access']).map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
          {expired && <Badge kind="bad">expired</Badge>}
        </>
      }
      about={
        <>
          Created <TimeAgo time={created_at} />
          {' · '}
          {last_used_at === null ? (
            'never used'
          ) : (
            <>
              last used <TimeAgo time={last_used_at} />
            </>
          )}
          {' · '}
          {expires_at === null
            ? 'does not expire'
            : `${expired ? 'expired' : 'expires'} ${dateAndTime(expires_at)}`}
        </>
      }
      actions={
        <DeleteButton what="token" name={name} verb="Revoke" onDelete={remove}>
          Requests with this token will be refused. This cannot be undone.
        </DeleteButton>
      }
    />
  );
}
