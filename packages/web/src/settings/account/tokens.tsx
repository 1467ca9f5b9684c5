import type { User } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { allPages } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { Heading } from '../parts/heading.tsx';
import { Rows } from '../parts/rows.tsx';
import { TokenDialog } from './token-dialog.tsx';
import { OwnTokenRow } from './token-row.tsx';

export function Tokens({ user }: { readonly user: User }) {
  const tokens = useQuery(allPages('listTokens'));
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
        about="Tokens let programs and the command line act on your behalf."
        action={make}
      />
      <QueryResult to={tokens}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon={<KeyRound />} title="No tokens yet">
              Create a token to use chatd from a program. Send it in the header{' '}
              <code>Authorization: Bearer …</code>
            </EmptyState>
          ) : (
            <Rows label="Your tokens">
              {list.map((token) => (
                <OwnTokenRow key={token.id} token={token} />
              ))}
            </Rows>
          )
        }
      </QueryResult>
      <TokenDialog open={making} onOpenChange={setMaking} admin={user.role === 'admin'} />
    </>
  );
}
