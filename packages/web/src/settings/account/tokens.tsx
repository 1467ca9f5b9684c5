import type { Token, User } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useChanged, wholeList } from '../../api/queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Answer } from '../parts/answer.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Heading } from '../parts/heading.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { TokenDialog } from './token-dialog.tsx';

export function Tokens({ user }: { readonly user: User }) {
  const tokens = useQuery(wholeList('listTokens'));
  const [making, setMaking] = useState(false);
  const make = (
    <Button kind="primary" onClick={() => setMaking(true)}>
      <Plus aria-hidden className="size-4" />
      New token
    </Button>
  );
  return (
    <>
      <Heading
        title="API tokens"
        about="With a token, programs and the command line work in your name."
        action={make}
      />
      <Answer to={tokens}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon={<KeyRound />} title="You have no tokens">
              Make one to use chatd from a program: it goes into the header{' '}
              <code>Authorization: Bearer …</code>
            </EmptyState>
          ) : (
            <Rows label="Your tokens">
              {list.map((token) => (
                <TokenRow key={token.id} token={token} />
              ))}
            </Rows>
          )
        }
      </Answer>
      <TokenDialog open={making} onOpenChange={setMaking} admin={user.role === 'admin'} />
    </>
  );
}

function TokenRow({ token }: { readonly token: Token }) {
  const { id, name, scopes, expires_at, last_used_at, created_at } = token;
  const changed = useChanged();
  const [now] = useState(() => Date.now());
  const expired = expires_at !== null && Date.parse(expires_at) <= now;
  const revoke = async () => {
    await client.call('deleteToken', { params: { token_id: id } });
    await changed();
  };
  return (
    <Row
      title={name}
      badges={
        <>
          {(scopes ?? ['everything you may']).map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
          {expired && <Badge kind="bad">expired</Badge>}
        </>
      }
      about={
        <>
          Made <TimeAgo time={created_at} />
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
            : `${expired ? 'expired' : 'expires'} ${new Date(expires_at).toLocaleString()}`}
        </>
      }
      actions={
        <DeleteButton what="the token" name={name} verb="Revoke" onDelete={revoke}>
          Programs that use it are refused at once. This cannot be undone.
        </DeleteButton>
      }
    />
  );
}
