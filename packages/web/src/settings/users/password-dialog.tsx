import { client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { unlessUnsaved } from '../../state/unsaved.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import type { UserDialogProps } from './user-dialog.ts';
import { toast } from '../../ui/toast.ts';

export function PasswordDialog(props: UserDialogProps) {
  const { user, open, onOpenChange } = props;
  return (
    <Dialog
      open={open}
      onOpenChange={(next) =>
        next ? onOpenChange(true) : unlessUnsaved(() => onOpenChange(false))
      }
      title={`Password for ${user.username}`}
      description="The user is signed out of all browsers. Share the new password over a secure channel."
    >
      <PasswordForm {...props} />
    </Dialog>
  );
}

function PasswordForm({ user, onOpenChange }: UserDialogProps) {
  const changed = useInvalidateQueries();
  const form = useForm({
    initial: { password: '' },
    async save({ password }) {
      await client.call('updateUser', { params: { user_id: user.id }, body: { password } });
      await changed();
      return { password: '' };
    },
    onSaved() {
      toast.success(`Password of ${user.username} changed`);
      onOpenChange(false);
    },
  });
  return (
    <SettingsForm
      form={form}
      label="Password"
      onCancel={() => unlessUnsaved(() => onOpenChange(false))}
    >
      <form.Text
        name="password"
        label="New password"
        type="password"
        autoComplete="new-password"
        help="At least 8 characters."
      />
    </SettingsForm>
  );
}
