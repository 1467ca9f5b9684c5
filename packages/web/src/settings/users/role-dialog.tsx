import type { UserRole } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import { session } from '../../api/session.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { unlessUnsaved } from '../../state/unsaved.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import type { UserDialogProps } from './user-dialog.ts';
import { toast } from '../../ui/toast.ts';

export const ROLES: readonly { readonly value: UserRole; readonly label: string }[] = [
  { value: 'member', label: 'Member: uses chats' },
  { value: 'auditor', label: 'Auditor: also reads the audit log' },
  { value: 'admin', label: 'Admin: manages the deployment' },
];

type RoleDialogProps = UserDialogProps & { readonly isMe: boolean };

export function RoleDialog(props: RoleDialogProps) {
  const { user, open, onOpenChange } = props;
  return (
    <Dialog
      open={open}
      onOpenChange={(next) =>
        next ? onOpenChange(true) : unlessUnsaved(() => onOpenChange(false))
      }
      title={`Role of ${user.username}`}
      description="Admins can see and change all settings: keys, users, limits and rules."
    >
      <RoleForm {...props} />
    </Dialog>
  );
}

function RoleForm({ user: { id, username, role }, isMe, onOpenChange }: RoleDialogProps) {
  const changed = useInvalidateQueries();
  const form = useForm({
    initial: { role },
    async save(values) {
      const body = { role: values.role };
      const user = await client.call('updateUser', { params: { user_id: id }, body });
      if (isMe) session.signedIn(user);
      else await changed();
    },
    onSaved() {
      toast.success(`Role of ${username} saved`);
      onOpenChange(false);
    },
  });
  return (
    <SettingsForm
      form={form}
      label="Role"
      onCancel={() => unlessUnsaved(() => onOpenChange(false))}
    >
      <form.Select
        name="role"
        label="Role"
        choices={ROLES}
        {...(isMe && {
          help: 'Without the admin role, you lose access to these settings. Only another admin can restore it.',
        })}
      />
    </SettingsForm>
  );
}
