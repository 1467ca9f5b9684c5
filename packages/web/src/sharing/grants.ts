import type { ChatGrant, ChatSharing, NewChatGrant } from '@chatd/protocol';

/** The grants as the API takes them. */
export const sent = ({ grants }: ChatSharing): NewChatGrant[] => grants.map(asSent);

function asSent({ user_id, group_id, role }: ChatGrant): NewChatGrant {
  if (user_id !== undefined) return { user_id, role };
  return group_id === undefined ? { everyone: true, role } : { group_id, role };
}

/** All grants and a new one, which replaces an earlier one for the same grantee. */
export const withGrant = ({ grants }: ChatSharing, grant: NewChatGrant): NewChatGrant[] => [
  ...grants.filter((one) => !isForSame(one, grant)).map(asSent),
  grant,
];

const isForSame = (one: ChatGrant, other: NewChatGrant): boolean =>
  other.username === undefined
    ? granteeOf(one) === granteeOf(other)
    : one.username === other.username;

/** Identifies whom a grant is for. */
export const granteeOf = ({
  user_id,
  group_id,
}: Pick<NewChatGrant, 'user_id' | 'group_id'>): string => user_id ?? group_id ?? 'everyone';

export const nameOf = ({ username, group_name, group_id }: ChatGrant): string =>
  username ?? (group_id === undefined ? 'Everyone' : (group_name ?? 'Group'));
