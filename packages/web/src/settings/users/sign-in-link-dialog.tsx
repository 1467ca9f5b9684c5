import type { User } from '@chatd/protocol';
import { useState } from 'react';
import { dateAndTime } from '../../format/time.ts';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { SecretOnce } from '../parts/secret-once.tsx';
import type { UserDialogProps } from './user-dialog.ts';

export function SignInLinkDialog({ user, open, onOpenChange }: UserDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Sign-in link for ${user.username}`}
      actions={<Button onClick={() => onOpenChange(false)}>Done</Button>}
    >
      <SignInLink user={user} />
    </Dialog>
  );
}

/** Created on request, because every link can be used. */
export function SignInLink({ user }: { readonly user: Pick<User, 'id' | 'username'> }) {
  const [state, setState] = useState<{
    doing?: true;
    problem?: string;
    url?: string;
    until?: string;
  }>({});
  const make = async () => {
    setState({ doing: true });
    try {
      const params = { user_id: user.id };
      const { url, expires_at } = await client.call('createSignInLink', { params });
      setState({ url, until: dateAndTime(expires_at) });
    } catch (error) {
      setState({ problem: explain(error) });
    }
  };
  if (state.url !== undefined) {
    return (
      <SecretOnce
        label="Sign-in link"
        secret={state.url}
        about={`Signs in as ${user.username}. Works once, until ${state.until ?? 'it expires'}. It is not shown again.`}
      />
    );
  }
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-muted">
        A link signs {user.username} in without a password. It works once.
      </p>
      {state.problem !== undefined && (
        <Notice kind="bad" live>
          {state.problem}
        </Notice>
      )}
      <Button kind="primary" disabled={state.doing} onClick={() => void make()}>
        {state.doing && <Spinner />}
        Create link
      </Button>
    </div>
  );
}
