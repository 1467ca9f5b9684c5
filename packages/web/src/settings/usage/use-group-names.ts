import type { UsageGroup } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { utcDay } from '../../format/time.ts';
import { apiQuery, allPages } from '../../api/queries.ts';
import { useCell } from '../../state/cell.ts';
import { useChatList } from '../../state/chats/use-chat-list.ts';

const KINDS: Readonly<Record<string, string>> = {
  turn: 'Chat turns',
  summary: 'Summaries',
  title: 'Titles',
  tools: 'Tools',
};

/** The display name of a group. Deleted objects have only their id. */
export function useGroupNames(group: UsageGroup, admin: boolean): (key: string) => string {
  const models = useQuery({ ...apiQuery('listModelConfigs'), enabled: group === 'model' });
  const users = useQuery({ ...allPages('listUsers'), enabled: group === 'user' && admin });
  const groups = useQuery({ ...apiQuery('listGroups'), enabled: group === 'group' });
  const chats = useCell(useChatList().chats);
  return (key) => {
    switch (group) {
      case 'day':
        return utcDay(key);
      case 'model':
        return (
          models.data?.model_configs.find(({ id }) => id === key)?.display_name ??
          gone('Model', key)
        );
      case 'user':
        return users.data?.find(({ id }) => id === key)?.username ?? gone('User', key);
      case 'group':
        if (key === 'none') return 'No group';
        return groups.data?.groups.find(({ id }) => id === key)?.name ?? gone('Group', key);
      case 'chat':
        return chats.get(key)?.title ?? gone('Chat', key);
      case 'kind':
        return KINDS[key] ?? key;
    }
  };
}

const gone = (what: string, id: string) => `${what} ${id.slice(-12)}`;
