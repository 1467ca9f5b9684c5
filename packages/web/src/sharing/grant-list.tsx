import type { ChatGrant, ChatRole, ChatSharing, NewChatGrant } from '@chatd/protocol';
import { Globe, Trash2, User, Users } from 'lucide-react';
import { IconButton } from '../ui/icon-button.tsx';
import { Select } from '../ui/select.tsx';
import { granteeOf, nameOf, sent } from './grants.ts';
import { ROLES } from './roles.ts';

export function GrantList({
  sharing,
  disabled,
  onChange,
}: {
  readonly sharing: ChatSharing;
  readonly disabled: boolean;
  readonly onChange: (grants: NewChatGrant[]) => void;
}) {
  if (sharing.grants.length === 0) {
    return <p className="text-sm text-muted">Only you can see this chat.</p>;
  }
  const others = (grantee: string) => sent(sharing).filter((one) => granteeOf(one) !== grantee);
  return (
    <ul aria-label="People with access" className="flex flex-col gap-1">
      {sharing.grants.map((grant) => {
        const grantee = granteeOf(grant);
        const name = nameOf(grant);
        const setRole = (role: ChatRole) =>
          onChange(
            sent(sharing).map((one) => (granteeOf(one) === grantee ? { ...one, role } : one)),
          );
        return (
          <li key={grantee} className="flex min-h-11 items-center gap-2">
            <GranteeIcon grant={grant} />
            <span dir="auto" className="min-w-0 flex-1 truncate">
              {name}
            </span>
            <Select
              aria-label={`Role of ${name}`}
              className="max-w-28 shrink-0"
              disabled={disabled}
              value={grant.role}
              onChange={({ target }) => setRole(target.value as ChatRole)}
            >
              {ROLES.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
            <IconButton
              label={`Revoke access of ${name}`}
              size="small"
              disabled={disabled}
              onClick={() => onChange(others(grantee))}
            >
              <Trash2 />
            </IconButton>
          </li>
        );
      })}
    </ul>
  );
}

function GranteeIcon({ grant }: { readonly grant: ChatGrant }) {
  const Icon = grant.everyone === true ? Globe : grant.group_id === undefined ? User : Users;
  return <Icon aria-hidden className="size-4 shrink-0 text-muted" />;
}
