import type { QueryOf } from '@chatd/client';
import type { Chat, ChatStatus } from '@chatd/protocol';
import { isOwn } from '../state/access.ts';

/** An empty filter matches all chats. */
export interface Filter {
  /** Chats of other users. */
  readonly shared?: true;
  readonly status?: ChatStatus;
  readonly label?: Label;
  readonly modelConfigId?: string;
  readonly workspaceId?: string;
  /** Active on this day or later, in milliseconds since the Unix epoch. */
  readonly activeAfter?: number;
  /** The server knows which chats match. */
  readonly minCostMicros?: number;
}

export interface Label {
  readonly name: string;
  readonly value: string;
}

export const NO_FILTER: Filter = {};

export const isFiltered = (filter: Filter): boolean =>
  Object.values(filter).some((value) => value !== undefined);

/** Whether a chat matches, except for its cost. */
export const matches = (filter: Filter, chat: Chat): boolean =>
  (filter.shared === undefined || !isOwn(chat)) &&
  (filter.status === undefined || chat.status === filter.status) &&
  (filter.label === undefined || chat.labels[filter.label.name] === filter.label.value) &&
  (filter.modelConfigId === undefined || chat.model_config_id === filter.modelConfigId) &&
  (filter.workspaceId === undefined || chat.workspace_id === filter.workspaceId) &&
  (filter.activeAfter === undefined || Date.parse(chat.active_at) >= filter.activeAfter);

/** The filter as parameters of the API. */
export const queryOf = (filter: Filter): QueryOf<'listChats'> => ({
  ...(filter.shared === true && { shared: 'with_me' }),
  ...(filter.status !== undefined && { status: filter.status }),
  ...(filter.label !== undefined && { label: labelKey(filter.label) }),
  ...(filter.modelConfigId !== undefined && { model_config_id: filter.modelConfigId }),
  ...(filter.workspaceId !== undefined && { workspace_id: filter.workspaceId }),
  ...(filter.activeAfter !== undefined && {
    active_after: new Date(filter.activeAfter).toISOString(),
  }),
  ...(filter.minCostMicros !== undefined && { min_cost_micros: filter.minCostMicros }),
});

/** Shared chats have no labels and costs. */
export const withoutConflicts = (filter: Filter): Filter => {
  if (filter.shared === undefined) return filter;
  const { label: _, minCostMicros: __, ...others } = filter;
  return others;
};

/** `name:value`, the API's format. */
export const labelKey = ({ name, value }: Label): string => `${name}:${value}`;

/** Labels without a value show only their name. */
export const labelText = ({ name, value }: Label): string =>
  value === '' ? name : `${name}: ${value}`;

export function labelsOf(chats: Iterable<Chat>): readonly Label[] {
  const labels = new Map<string, Label>();
  for (const chat of chats) {
    for (const [name, value] of Object.entries(chat.labels)) {
      const label = { name, value };
      labels.set(labelKey(label), label);
    }
  }
  return [...labels.values()].sort((a, b) => labelKey(a).localeCompare(labelKey(b)));
}
