import type { CreatedToken, Scope, User } from '@chatd/protocol';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { unlessUnsaved } from '../../state/unsaved.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { SecretOnce } from '../parts/secret-once.tsx';

const SCOPES: readonly { scope: Scope; about: string; admin?: true }[] = [
  { scope: 'read', about: 'Read your chats, files and settings' },
  { scope: 'write', about: 'Send messages, answer, change and delete' },
  { scope: 'admin', about: 'Administer the deployment', admin: true },
  { scope: 'metrics', about: 'Read /metrics only' },
];

const DAY_MS = 86_400_000;
const EXPIRIES = [
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'date', label: 'Custom date' },
  { value: '', label: 'Never' },
];

export interface TokenDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Whether admin scopes are offered. */
  readonly admin: boolean;
  /** For admins: the owner of the token. Default: the current user. */
  readonly owner?: Pick<User, 'id' | 'username'>;
}

/** Creates a token. Its secret is shown until the dialog is closed, and never again. */
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
      title={owner === undefined ? 'New token' : `New token for ${owner.username}`}
      {...(made !== undefined && { actions: <Button onClick={close}>Done</Button> })}
    >
      {made === undefined ? (
        <TokenForm admin={admin} owner={owner} onMade={setMade} onCancel={close} />
      ) : (
        <SecretOnce
          label="Token"
          secret={made.token}
          about="Copy it now. It is not shown again; the server stores only a hash."
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
  const changed = useInvalidateQueries();
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
      expires === 'date' && expires_at === '' ? { expires_at: 'choose a date' } : {},
  });
  const { scopes } = form.values;
  return (
    <SettingsForm form={form} label="New token" action="Create token" onCancel={onCancel}>
      <form.Text
        name="name"
        label="Name"
        help="Where the token is used, so that you can recognize it."
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="font-medium">Scopes</legend>
        <p className="text-sm text-muted">
          Without a scope, the token has{' '}
          {owner === undefined ? 'all your rights' : `all rights of ${owner.username}`}.
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
      <form.Select name="expires" label="Expires" choices={EXPIRIES} />
      {form.values.expires === 'date' && (
        <form.Text name="expires_at" label="Last day" type="date" />
      )}
    </SettingsForm>
  );
}

function expiryOf(expires: string, day: string, now: number): { expires_at?: string } {
  if (expires === '') return {};
  if (expires === 'date') return { expires_at: new Date(`${day}T23:59:59`).toISOString() };
  return { expires_at: new Date(now + Number(expires) * DAY_MS).toISOString() };
}
