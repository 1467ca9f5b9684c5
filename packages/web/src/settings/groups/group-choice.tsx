import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { CheckList } from '../../ui/check-list.tsx';
import { SelectField } from '../../ui/select.tsx';

const CHOICES = [
  { value: 'all', label: 'All users' },
  { value: 'groups', label: 'Members of groups' },
];

/** Who can use a model or an MCP server. Hidden in a deployment without groups. */
export function GroupChoice({
  value,
  onChange,
}: {
  /** Null: all users. */
  readonly value: readonly string[] | null;
  readonly onChange: (value: readonly string[] | null) => void;
}) {
  const groups = useQuery(apiQuery('listGroups')).data?.groups ?? [];
  if (groups.length === 0 && value === null) return null;
  return (
    <div className="flex flex-col gap-4 sm:max-w-sm">
      <SelectField
        label="Available to"
        value={value === null ? 'all' : 'groups'}
        choices={CHOICES}
        help="Admins can always use it."
        onChange={(event) => onChange(event.target.value === 'all' ? null : [])}
      />
      {value !== null && (
        <CheckList
          legend="Groups"
          choices={groups.map(({ id, name }) => ({ value: id, label: safeText(name) }))}
          values={value}
          onChange={onChange}
          empty="There are no groups."
          help="Members of at least one of these groups. None: only admins."
        />
      )}
    </div>
  );
}
