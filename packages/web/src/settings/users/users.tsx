import type { User } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link2, MoreHorizontal, Plus } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { useInvalidateQueries, allPages } from '../../api/queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { money } from '../../format/money.ts';
import { TokenDialog } from '../account/token-dialog.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { Heading } from '../parts/heading.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { NewUserDialog } from './new-user-dialog.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import { RoleDialog } from './role-dialog.tsx';
import { SignInLinkDialog } from './sign-in-link-dialog.tsx';
import { SuspendDialog } from './suspend-dialog.tsx';
import { UserLimitDialog } from './user-limit-dialog.tsx';
import { UserTokensDialog } from './user-tokens-dialog.tsx';
import { toast } from '../../ui/toast.ts';

export function Users({ user: me }: { readonly user: User }) {
  const users = useQuery(allPages('listUsers'));
  const [adding, setAdding] = useState(false);
  return (
    <>
      <Heading
        title="Users"
        about="Accounts of this deployment. Admins manage it; members use chats."
        action={
          <Button kind="primary" onClick={() => setAdding(true)}>
            <Plus aria-hidden className="size-4" />
            Add user
          </Button>
        }
      />
      <QueryResult to={users}>
        {(list) => (
          <Rows label="Users">
            {list.map((user) => (
              <UserRow key={user.id} user={user} isMe={user.id === me.id} />
            ))}
          </Rows>
        )}
      </QueryResult>
      <NewUserDialog open={adding} onOpenChange={setAdding} />
    </>
  );
}

type Opened = 'link' | 'role' | 'password' | 'limit' | 'token' | 'tokens' | 'suspend' | 'delete';

function UserRow({ user, isMe }: { readonly user: User; readonly isMe: boolean }) {
  const { id, username, role, has_password, suspended, spend_limit_micros, created_at } = user;
  const [opened, setOpened] = useState<Opened>();
  const changed = useInvalidateQueries();
  const dialog = (which: Opened) => ({
    open: opened === which,
    onOpenChange: (open: boolean) => setOpened(open ? which : undefined),
  });
  const interrupt = async () => {
    try {
      const { chat_ids } = await client.call('interruptUser', {
        params: { user_id: id },
        body: {},
      });
      const { length } = chat_ids;
      toast.success(`Interrupted ${length} ${length === 1 ? 'chat' : 'chats'} of ${username}.`);
    } catch (error) {
      toast.error(explain(error));
    }
  };
  const remove = async () => {
    await client.call('deleteUser', { params: { user_id: id } });
    await changed();
    toast.success(`${username} deleted`);
  };
  return (
    <Row
      title={username}
      badges={
        <>
          {role !== 'member' && <Badge kind="info">{role}</Badge>}
          {isMe && <Badge>you</Badge>}
          {suspended && <Badge kind="bad">suspended</Badge>}
        </>
      }
      about={
        <>
          {has_password ? 'has a password' : 'signs in with a link'}
          {spend_limit_micros !== null && ` · custom limit: ${money(spend_limit_micros)} per month`}
          {' · added '}
          <TimeAgo time={created_at} />
        </>
      }
      actions={
        <>
          <Button
            size="small"
            aria-label={`Sign-in link for ${username}`}
            onClick={() => setOpened('link')}
          >
            <Link2 aria-hidden className="size-4" />
            Sign-in link
          </Button>
          <Menu
            align="end"
            trigger={
              <IconButton size="small" label={`More actions for ${username}`}>
                <MoreHorizontal />
              </IconButton>
            }
          >
            <MenuItem onSelect={() => setOpened('role')}>Change role</MenuItem>
            <MenuItem onSelect={() => setOpened('password')}>Set password</MenuItem>
            <MenuItem onSelect={() => setOpened('limit')}>Spend limit</MenuItem>
            <MenuItem onSelect={() => setOpened('token')}>New API token</MenuItem>
            <MenuItem onSelect={() => setOpened('tokens')}>API tokens</MenuItem>
            <MenuLine />
            <MenuItem onSelect={() => void interrupt()}>Interrupt chats</MenuItem>
            <MenuItem danger={!suspended} onSelect={() => setOpened('suspend')}>
              {suspended ? 'Lift suspension' : 'Suspend'}
            </MenuItem>
            <MenuItem danger onSelect={() => setOpened('delete')}>
              Delete
            </MenuItem>
          </Menu>
        </>
      }
    >
      <SignInLinkDialog user={user} {...dialog('link')} />
      <RoleDialog user={user} isMe={isMe} {...dialog('role')} />
      <PasswordDialog user={user} {...dialog('password')} />
      <UserLimitDialog user={user} {...dialog('limit')} />
      <TokenDialog admin={role === 'admin'} owner={user} {...dialog('token')} />
      <UserTokensDialog user={user} {...dialog('tokens')} />
      <SuspendDialog user={user} {...dialog('suspend')} />
      <ConfirmDialog
        {...dialog('delete')}
        title={`Delete user “${username}”?`}
        action={`Delete ${username}`}
        onConfirm={remove}
      >
        All chats, files, workspaces and tokens of {username} are deleted. Their usage records are
        kept. This cannot be undone.
      </ConfirmDialog>
    </Row>
  );
}
