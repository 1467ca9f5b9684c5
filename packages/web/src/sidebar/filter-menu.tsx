import { ListFilter, X } from 'lucide-react';
import { useCell } from '../state/cell.ts';
import { useChatList } from '../state/chats/use-chat-list.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu, MenuChoices, MenuItem, MenuLine } from '../ui/menu.tsx';
import { type Filter, isFiltered, labelKey, labelsOf, labelText, NO_FILTER } from './filter.ts';
import type { SidebarView } from './sidebar-view.ts';

const STATUSES = [
  { value: 'any', label: 'Any state' },
  { value: 'requires_action', label: 'Needs input' },
  { value: 'running', label: 'Working' },
  { value: 'error', label: 'Failed' },
  { value: 'waiting', label: 'Idle' },
] as const;

const ANY = 'any';

export function FilterMenu({ view }: { readonly view: SidebarView }) {
  const filter = useCell(view.filter);
  const labels = labelsOf(useCell(useChatList().chats).values());
  const known =
    filter.label === undefined || labels.some((label) => isSame(label, filter.label))
      ? labels
      : [...labels, filter.label];
  const { status: _, ...withoutStatus } = filter;
  const { label: __, ...withoutLabel } = filter;
  return (
    <Menu
      align="end"
      trigger={
        <IconButton label="Filter chats" aria-pressed={isFiltered(filter)}>
          <ListFilter />
        </IconButton>
      }
    >
      <MenuChoices
        label="State"
        value={filter.status ?? ANY}
        choices={STATUSES}
        onChange={(status) =>
          view.setFilter(
            status === ANY || status === 'interrupting' ? withoutStatus : { ...filter, status },
          )
        }
      />
      <MenuLine />
      {known.length === 0 ? (
        <MenuItem disabled onSelect={() => undefined}>
          No labels yet
        </MenuItem>
      ) : (
        <MenuChoices
          label="Label"
          value={filter.label === undefined ? ANY : labelKey(filter.label)}
          choices={[
            { value: ANY, label: 'Any label' },
            ...known.map((label) => ({ value: labelKey(label), label: labelText(label) })),
          ]}
          onChange={(key) => {
            const label = known.find((candidate) => labelKey(candidate) === key);
            view.setFilter(label === undefined ? withoutLabel : { ...filter, label });
          }}
        />
      )}
    </Menu>
  );
}

const isSame = (label: NonNullable<Filter['label']>, other: Filter['label']) =>
  other !== undefined && labelKey(label) === labelKey(other);

/** The active filter, with a button to remove it. */
export function FilterNote({ view }: { readonly view: SidebarView }) {
  const filter = useCell(view.filter);
  if (!isFiltered(filter)) return null;
  const status = STATUSES.find(({ value }) => value === filter.status)?.label;
  const label = filter.label === undefined ? undefined : labelText(filter.label);
  return (
    <div className="mx-2 mb-1 flex items-center gap-1 rounded-lg bg-info-surface py-0.5 pr-1 pl-2.5 text-sm text-info">
      <span dir="auto" className="min-w-0 flex-1 truncate">
        Filter: {[status, label].filter((part) => part !== undefined).join(', ')}
      </span>
      <IconButton
        label="Clear filter"
        size="small"
        className="text-info"
        onClick={() => view.setFilter(NO_FILTER)}
      >
        <X />
      </IconButton>
    </div>
  );
}
