import type { ChatGrant, ChatSharing } from '@chatd/protocol';
import { type GrantRow, listGrants } from '../../store/queries/sharing/grants.ts';
import { readLink } from '../../store/queries/sharing/links.ts';
import { loadSettings } from '../../store/settings.ts';
import type { Queryable } from '../../store/statement.ts';

export async function readSharing(db: Queryable, chat_id: string): Promise<ChatSharing> {
  const [grants, [link], settings] = await Promise.all([
    db.query(listGrants, { chat_id }),
    db.query(readLink, { chat_id }),
    loadSettings(db),
  ]);
  return {
    grants: grants.map(presentGrant),
    ...(link && {
      link: {
        role: 'viewer',
        created_at: link.created_at.toISOString(),
        ...(link.expires_at !== null && { expires_at: link.expires_at.toISOString() }),
      },
    }),
    links_allowed: settings.allow_chat_links,
  };
}

function presentGrant({ user_id, username, group_id, group_name, role }: GrantRow): ChatGrant {
  if (user_id !== null) return { user_id, username: username ?? '', role };
  if (group_id !== null) return { group_id, group_name: group_name ?? '', role };
  return { everyone: true, role };
}
