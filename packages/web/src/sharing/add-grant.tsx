import type { ChatRole, NewChatGrant } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { apiQuery } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { Field, INPUT } from '../ui/field.tsx';
import { Select } from '../ui/select.tsx';
import { ROLES } from './roles.ts';

const USER = 'user';
const EVERYONE = 'everyone';

/** Whom to share with: a user by name, one of the groups that the user can see, or everyone. */
export function AddGrant({
  disabled,
  onAdd,
}: {
  readonly disabled: boolean;
  /** True: added. */
  readonly onAdd: (grant: NewChatGrant) => Promise<boolean>;
}) {
  const groups = useQuery(apiQuery('listGroups')).data?.groups ?? [];
  const [whom, setWhom] = useState(USER);
  const [username, setUsername] = useState('');
  const [role, setRole] = useState<ChatRole>('viewer');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const name = username.trim();
    if (whom === USER && name === '') return;
    const grant: NewChatGrant =
      whom === USER
        ? { username: name, role }
        : whom === EVERYONE
          ? { everyone: true, role }
          : { group_id: whom, role };
    if (await onAdd(grant)) setUsername('');
  };
  return (
    <form className="flex flex-col gap-2" onSubmit={(event) => void submit(event)}>
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-0 flex-[1_1_8rem]">
          <Field label="Share with">
            {(control) => (
              <Select {...control} value={whom} onChange={({ target }) => setWhom(target.value)}>
                <option value={USER}>User</option>
                {groups.map(({ id, name }) => (
                  <option key={id} value={id}>
                    Group {name}
                  </option>
                ))}
                <option value={EVERYONE}>Everyone</option>
              </Select>
            )}
          </Field>
        </div>
        <div className="min-w-0 flex-[1_1_7rem]">
          <Field label="Role">
            {(control) => (
              <Select
                {...control}
                value={role}
                onChange={({ target }) => setRole(target.value as ChatRole)}
              >
                {ROLES.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        </div>
      </div>
      <div className="flex gap-2">
        {whom === USER && (
          <input
            aria-label="User name"
            placeholder="User name"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            className={INPUT}
            value={username}
            onChange={({ target }) => setUsername(target.value)}
          />
        )}
        <Button
          type="submit"
          kind="primary"
          className="shrink-0"
          disabled={disabled || (whom === USER && username.trim() === '')}
        >
          Share
        </Button>
      </div>
    </form>
  );
}
