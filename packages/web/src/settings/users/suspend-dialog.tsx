import { client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import type { UserDialogProps } from './user-dialog.ts';
import { toast } from '../../ui/toast.ts';

/** Suspends a user or lifts the suspension. */
export function SuspendDialog({
  user: { id, username, suspended },
  open,
  onOpenChange,
}: UserDialogProps) {
  const changed = useInvalidateQueries();
  const change = async () => {
    const body = { suspended: !suspended };
    await client.call('updateUser', { params: { user_id: id }, body });
    await changed();
    toast.success(suspended ? `${username} can sign in again` : `${username} suspended`);
  };
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title={suspended ? `Lift the suspension of ${username}?` : `Suspend ${username}?`}
      action={suspended ? 'Lift suspension' : `Suspend ${username}`}
      onConfirm={change}
    >
      {suspended
        ? `${username} can sign in again. Tokens that were not revoked work again.`
        : `${username} is signed out, their tokens are refused, running chats are interrupted and workspaces are stopped. Chats and files are kept.`}
    </ConfirmDialog>
  );
}
