import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { allPages } from '../../api/queries.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { TokenRow } from '../account/token-row.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { Rows } from '../parts/rows.tsx';
import type { UserDialogProps } from './user-dialog.ts';

/** Lets an admin revoke the tokens of another user. */
export function UserTokensDialog({ user, open, onOpenChange }: UserDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`API tokens of ${user.username}`}
      description="Requests with a revoked token are refused immediately."
    >
      <TokenList user={user} />
    </Dialog>
  );
}

function TokenList({ user }: Pick<UserDialogProps, 'user'>) {
  const params = { user_id: user.id };
  const tokens = useQuery(allPages('listUserTokens', { params }));
  const revoke = (token_id: string) =>
    client.call('deleteUserToken', { params: { ...params, token_id } });
  return (
    <QueryResult to={tokens}>
      {(list) =>
        list.length === 0 ? (
          <p className="text-muted">{user.username} has no API tokens.</p>
        ) : (
          <Rows label={`API tokens of ${user.username}`}>
            {list.map((token) => (
              <TokenRow key={token.id} token={token} revoke={() => revoke(token.id)} />
            ))}
          </Rows>
        )
      }
    </QueryResult>
  );
}
