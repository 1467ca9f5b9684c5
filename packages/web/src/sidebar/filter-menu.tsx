import { useQuery } from '@tanstack/react-query';
import { ListFilter, X } from 'lucide-react';
import { apiQuery } from '../api/queries.ts';
import { price } from '../format/money.ts';
import { useCell } from '../state/cell.ts';
import { useChatList } from '../state/chats/use-chat-list.ts';
import { today } from '../state/today.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu, MenuChoices, MenuItem, MenuLine, SubMenu } from '../ui/menu.tsx';
import { useWide } from '../ui/use-wide.ts';
import { type Filter, isFiltered, labelKey, labelsOf, labelText, NO_FILTER } from './filter.ts';
import type { SidebarView } from './sidebar-view.ts';

const ANY = 'any';
const DAY_MS = 24 * 60 * 60 * 1000;

interface Option {
  readonly value: string;
  readonly label: string;
  readonly filter: Filter;
}

/** One property that chats can be filtered by. */
interface Property {
  readonly name: string;
  /** The fields of the filter that it sets. */
  readonly field: keyof Filter;
  readonly any: string;
  readonly options: readonly Option[];
}

const STATUSES: readonly Option[] = (
  [
    ['requires_action', 'Needs input'],
    ['running', 'Working'],
    ['error', 'Failed'],
    ['waiting', 'Idle'],
  ] as const
).map(([status, label]) => ({ value: status, label, filter: { status } }));

const OWNERS: readonly Option[] = [
  { value: 'shared', label: 'Shared with me', filter: { shared: true } },
];

const COSTS = [100_000, 1_000_000, 10_000_000].map((minCostMicros): Option => {
  const label = `${price(minCostMicros)} or more`;
  return { value: String(minCostMicros), label, filter: { minCostMicros } };
});

function useProperties(filter: Filter): readonly Property[] {
  const chats = useCell(useChatList().chats);
  const start = useCell(today);
  const models = useQuery(apiQuery('listModelConfigs')).data?.model_configs ?? [];
  const workspaces =
    useQuery(apiQuery('listWorkspaces', { query: { limit: 50 } })).data?.workspaces ?? [];
  const labels = labelsOf(chats.values());
  const { label: chosen } = filter;
  const isKnown =
    chosen === undefined || labels.some((each) => labelKey(each) === labelKey(chosen));
  const times = (
    [
      ['Today', 0],
      ['Last 7 days', 6],
      ['Last 30 days', 29],
    ] as const
  ).map(([label, days]): Option => {
    const activeAfter = start - days * DAY_MS;
    return { value: String(days), label, filter: { activeAfter } };
  });
  return [
    { name: 'Owner', field: 'shared', any: 'Anyone', options: OWNERS },
    { name: 'State', field: 'status', any: 'Any state', options: STATUSES },
    {
      name: 'Label',
      field: 'label',
      any: 'Any label',
      options: (isKnown ? labels : [...labels, chosen]).map((label) => ({
        value: labelKey(label),
        label: labelText(label),
        filter: { label },
      })),
    },
    {
      name: 'Model',
      field: 'modelConfigId',
      any: 'Any model',
      options: models.map(({ id, display_name }) => ({
        value: id,
        label: display_name,
        filter: { modelConfigId: id },
      })),
    },
    {
      name: 'Workspace',
      field: 'workspaceId',
      any: 'Any workspace',
      options: workspaces.map(({ id, name }) => ({
        value: id,
        label: name,
        filter: { workspaceId: id },
      })),
    },
    { name: 'Last active', field: 'activeAfter', any: 'Any time', options: times },
    { name: 'Cost', field: 'minCostMicros', any: 'Any cost', options: COSTS },
  ];
}

/** The option of a property that the filter has. */
const chosenOf = ({ field, options }: Property, filter: Filter): Option | undefined =>
  filter[field] === undefined
    ? undefined
    : options.find(
        (option) => JSON.stringify(option.filter[field]) === JSON.stringify(filter[field]),
      );

export function FilterMenu({ view }: { readonly view: SidebarView }) {
  const filter = useCell(view.filter);
  return (
    <Menu
      align="end"
      trigger={
        <IconButton label="Filter chats" aria-pressed={isFiltered(filter)}>
          <ListFilter />
        </IconButton>
      }
    >
      <Choices view={view} filter={filter} />
    </Menu>
  );
}

interface FilterProps {
  readonly view: SidebarView;
  readonly filter: Filter;
}

/** Narrow screens have no space for menus beside the menu. */
function Choices({ view, filter }: FilterProps) {
  const wide = useWide();
  return (
    <>
      {useProperties(filter)
        .filter(({ options }) => options.length > 0)
        .map((property) => {
          const chosen = chosenOf(property, filter);
          const choices = (
            <MenuChoices
              key={property.name}
              label={property.name}
              value={chosen?.value ?? ANY}
              choices={[{ value: ANY, label: property.any }, ...property.options]}
              onChange={(value) => {
                const { [property.field]: _, ...others } = filter;
                const option = property.options.find((each) => each.value === value);
                view.setFilter({ ...others, ...option?.filter });
              }}
            />
          );
          if (!wide) return choices;
          return (
            <SubMenu key={property.name} label={property.name} value={chosen?.label}>
              {choices}
            </SubMenu>
          );
        })}
      {isFiltered(filter) && (
        <>
          <MenuLine />
          <MenuItem icon={<X />} onSelect={() => view.setFilter(NO_FILTER)}>
            Clear filter
          </MenuItem>
        </>
      )}
    </>
  );
}

/** The active filter, with a button to remove it. */
export function FilterNote({ view }: { readonly view: SidebarView }) {
  const filter = useCell(view.filter);
  return isFiltered(filter) ? <ActiveFilter view={view} filter={filter} /> : null;
}

function ActiveFilter({ view, filter }: FilterProps) {
  // The option may be gone: a deleted workspace, or the day of yesterday.
  const chosen = useProperties(filter)
    .filter(({ field }) => filter[field] !== undefined)
    .map((property) => chosenOf(property, filter)?.label ?? property.name);
  return (
    <div className="mx-2 mb-1 flex items-center gap-1 rounded-lg bg-info-surface py-0.5 pr-1 pl-2.5 text-sm text-info">
      <span dir="auto" className="min-w-0 flex-1 truncate">
        Filter: {chosen.join(', ')}
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
