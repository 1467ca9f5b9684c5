import type { CreatedToken, Scope, User } from '@chatd/protocol';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useChanged } from '../../api/queries.ts';
import { unlessUnsaved } from '../../state/unsaved.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormSelect, FormText } from '../form/fields.tsx';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { SecretOnce } from '../parts/secret-once.tsx';

const SCOPES: readonly { scope: Scope; about: string; admin?: true }[] = [
  { scope: 'read', about: 'See chats, files and settings of yours' },
  { scope: 'write', about: 'Change them: send messages, answer, delete' },
  { scope: 'admin', about: 'What only admins may', admin: true },
  { scope: 'metrics', about: 'Read /metrics, and nothing else' },
];

const DAY_MS = 86_400_000;
const EXPIRIES = [
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'date', label: 'On a day of your choice' },
  { value: '', label: 'Never' },
];

export interface TokenDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Whether it can be for admins' work. */
  readonly admin: boolean;
  /** As an admin: whose token it is to be. One's own unless told. */
  readonly owner?: Pick<User, 'id' | 'username'>;
}

/** Makes a token; its secret is there until the dialog is closed, and never again. */
export function TokenDialog({ open, onOpenChange, admin, owner }: TokenDialogProps) {
  const [made, setMade] = useState<CreatedToken>();
  const close = () => {
    setMade(undefined);
    onOpenChange(false);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : unlessUnsaved(close))}
      title={owner === undefined ? 'New token' : `New token of ${owner.username}`}
      {...(made !== undefined && { actions: <Button onClick={close}>Done</Button> })}
    >
      {made === undefined ? (
        <TokenForm admin={admin} owner={owner} onMade={setMade} onCancel={close} />
      ) : (
        <SecretOnce
          label="The token"
          secret={made.token}
          about="Copy it now: it is shown this once. The server keeps only a fingerprint of it."
        />
      )}
    </Dialog>
  );
}

function TokenForm({
  admin,
  owner,
  onMade,
  onCancel,
}: {
  readonly admin: boolean;
  readonly owner: TokenDialogProps['owner'] | undefined;
  readonly onMade: (token: CreatedToken) => void;
  readonly onCancel: () => void;
}) {
  const changed = useChanged();
  const form = useForm({
    initial: { name: '', scopes: [] as Scope[], expires: '90', expires_at: '' },
    async save({ name, scopes, expires, expires_at }) {
      const made = await client.call('createToken', {
        body: {
          name,
          ...(scopes.length > 0 && { scopes }),
          ...expiryOf(expires, expires_at, Date.now()),
          ...(owner !== undefined && { user_id: owner.id }),
        },
      });
      onMade(made);
      void changed();
    },
    check: ({ expires, expires_at }): Record<string, string> =>
      expires === 'date' && expires_at === '' ? { expires_at: 'choose a day' } : {},
  });
  const { scopes } = form.values;
  return (
    <SettingsForm form={form} label="New token" action="Make token" onCancel={onCancel}>
      <FormText
        form={form}
        name="name"
        label="Name"
        help="So that you know it again: where it is used."
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="font-medium">Scopes</legend>
        <p className="text-sm text-muted">
          What it may be used for. With none of them it may do all that{' '}
          {owner === undefined ? 'you' : owner.username} may.
        </p>
        {SCOPES.filter((row) => row.admin !== true || admin).map(({ scope, about }) => (
          <Checkbox
            key={scope}
            label={scope}
            help={about}
            checked={scopes.includes(scope)}
            onChange={(on) =>
              form.set({
                scopes: on ? [...scopes, scope] : scopes.filter((other) => other !== scope),
              })
            }
          />
        ))}
      </fieldset>
      <FormSelect form={form} name="expires" label="Expires" choices={EXPIRIES} />
      {form.values.expires === 'date' && (
        <FormText form={form} name="expires_at" label="Last day" type="date" />
      )}
    </SettingsForm>
  );
}

function expiryOf(expires: string, day: string, now: number): { expires_at?: string } {
  if (expires === '') return {};
  if (expires === 'date') return { expires_at: new Date(`${day}T23:59:59`).toISOString() };
  return { expires_at: new Date(now + Number(expires) * DAY_MS).toISOString() };
}
