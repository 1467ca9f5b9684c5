import type { Chat, ChatStatus } from '@chatd/protocol';

/** An empty filter matches all chats. */
export interface Filter {
  readonly status?: ChatStatus;
  readonly label?: Label;
}

export interface Label {
  readonly name: string;
  readonly value: string;
}

export const NO_FILTER: Filter = {};

export const isFiltered = ({ status, label }: Filter): boolean =>
  status !== undefined || label !== undefined;

export const matches = ({ status, label }: Filter, chat: Chat): boolean =>
  (status === undefined || chat.status === status) &&
  (label === undefined || chat.labels[label.name] === label.value);

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
