import { toast } from 'sonner';
import { client } from '../../api/client.ts';
import { session } from '../../api/session.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import type { UserDialogProps } from './user-dialog.ts';

export function RoleDialog({
  user: { id, username, role },
  isMe,
  open,
  onOpenChange,
}: UserDialogProps & { readonly isMe: boolean }) {
  const changed = useInvalidateQueries();
  const next = role === 'admin' ? 'member' : 'admin';
  const change = async () => {
    const user = await client.call('updateUser', { params: { user_id: id }, body: { role: next } });
    toast.success(`${username} is now ${next === 'admin' ? 'an admin' : 'a member'}`);
    if (isMe) session.signedIn(user);
    else await changed();
  };
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title={next === 'admin' ? `Make ${username} an admin?` : `Make ${username} a member?`}
      action={next === 'admin' ? 'Make admin' : 'Make member'}
      onConfirm={change}
    >
      {next === 'admin'
        ? `${username} will be able to see and change all settings: keys, users, limits and rules.`
        : isMe
          ? 'You lose access to these settings. Only another admin can restore it.'
          : `${username} keeps their chats and files but can no longer change deployment settings.`}
    </ConfirmDialog>
  );
}
