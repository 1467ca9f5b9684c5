import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { unlessUnsaved } from '../../state/unsaved.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { money } from '../../format/money.ts';
import { microsIn, microsText, notNumbers } from '../form/numbers.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import type { UserDialogProps } from './user-dialog.ts';
import { toast } from '../../ui/toast.ts';

export function UserLimitDialog(props: UserDialogProps) {
  const { user, open, onOpenChange } = props;
  return (
    <Dialog
      open={open}
      onOpenChange={(next) =>
        next ? onOpenChange(true) : unlessUnsaved(() => onOpenChange(false))
      }
      title={`Spend limit for ${user.username}`}
      description="Per calendar month (UTC). Overrides the default limit."
    >
      <LimitForm {...props} />
    </Dialog>
  );
}

function LimitForm({ user, onOpenChange }: UserDialogProps) {
  const params = { user_id: user.id };
  const spend = useQuery(apiQuery('getSpend', { params }));
  const changed = useInvalidateQueries();
  const form = useForm({
    initial: { spend_limit_micros: microsText(user.spend_limit_micros) },
    check: (values) => notNumbers(values, ['spend_limit_micros']),
    async save({ spend_limit_micros }) {
      const body = { spend_limit_micros: microsIn(spend_limit_micros) ?? null };
      await client.call('updateUser', { params, body });
      await changed();
    },
    onSaved() {
      toast.success(`Spend limit of ${user.username} saved`);
      onOpenChange(false);
    },
  });
  return (
    <SettingsForm
      form={form}
      label="Spend limit"
      onCancel={() => unlessUnsaved(() => onOpenChange(false))}
    >
      <form.Number
        name="spend_limit_micros"
        label="Limit"
        help={`Empty: the default limit.${spend.data === undefined ? '' : ` Spent this month: ${money(spend.data.spent_micros)}.`}`}
      />
    </SettingsForm>
  );
}
