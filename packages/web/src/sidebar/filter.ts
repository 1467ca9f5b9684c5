import type { Chat, ChatStatus } from '@chatd/protocol';

/** Which chats are shown. Empty: all of them. */
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

/** `name:value`, as the API takes it. */
export const labelKey = ({ name, value }: Label): string => `${name}:${value}`;

/** A label as people see it: many have no value. */
export const labelText = ({ name, value }: Label): string =>
  value === '' ? name : `${name}: ${value}`;

/** Every label that is in use, by name. */
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
