import type { Chat, Project, SearchMatch } from '@chatd/protocol';
import type { ChatsById, Paging } from '../../state/chats/chat-list.ts';
import { activityOf } from '../../state/chats/activity.ts';
import { type ChatState, stateOf } from '../../state/chats/chat-state.ts';
import { byActivity, pinnedOf } from '../../state/chats/list-order.ts';
import type { Found } from '../chat-search.ts';
import { type Filter, isFiltered } from '../filter.ts';

export type SidebarSection = 'pinned' | 'projects' | 'today' | 'earlier' | 'archived' | 'found';

export interface ChatRow {
  readonly kind: 'chat';
  readonly key: string;
  readonly section: SidebarSection;
  readonly chat: Chat;
  readonly state: ChatState;
  /** What the chat is doing. */
  readonly activity?: string;
  /** 0 for root chats; subagents are deeper. */
  readonly depth: number;
  readonly agents: number;
  readonly open: boolean;
  /** A hidden subagent needs input. */
  readonly asksBelow: boolean;
  /** The message that a search found. */
  readonly match?: SearchMatch;
}

/** A folder of chats. */
export interface ProjectRow {
  readonly kind: 'project';
  readonly key: string;
  readonly project: Project;
  readonly open: boolean;
  /** A hidden chat needs input, or is unread. */
  readonly asks: boolean;
  readonly unread: boolean;
}

export type Row =
  | ProjectRow
  | ChatRow
  | {
      readonly kind: 'heading';
      readonly key: string;
      readonly section: SidebarSection;
      /** Only for collapsible sections. */
      readonly open?: boolean;
    }
  /** The end of a loaded range. More is loaded when it becomes visible. */
  | {
      readonly kind: 'end';
      readonly key: string;
      readonly paging: Exclude<Paging, 'all'>;
      readonly depth: number;
    }
  | { readonly kind: 'note'; readonly key: string; readonly text: string };

export interface SidebarContent {
  readonly chats: ChatsById;
  /** Start of the current day. */
  readonly today: number;
  /** Older chats are hidden, because the list before this time may be incomplete. Null: the list is complete. */
  readonly horizon: string | null;
  readonly paging: Paging;
  readonly filter: Filter;
  /** Whether a chat matches the filter. */
  readonly shows: (chat: Chat) => boolean;
  /** Chats with expanded subagents, and how far these are loaded. */
  readonly open: ReadonlyMap<string, Paging>;
  /** Undefined while loading. */
  readonly projects: readonly Project[] | undefined;
  /** Expanded projects, and how far their chats are loaded. */
  readonly openProjects: ReadonlyMap<string, Paging>;
  /** Undefined while the archived section is collapsed. */
  readonly archived: Paging | undefined;
}

type Families = ReadonlyMap<string, readonly Chat[]>;

/** Subagents by parent, newest first. */
function familiesOf(chats: ChatsById): Families {
  const families = new Map<string, Chat[]>();
  for (const chat of chats.values()) {
    if (chat.parent_chat_id === undefined) continue;
    const siblings = families.get(chat.parent_chat_id);
    if (siblings === undefined) families.set(chat.parent_chat_id, [chat]);
    else siblings.push(chat);
  }
  for (const siblings of families.values()) siblings.sort(byActivity);
  return families;
}

/** All rows of the sidebar without a search. */
export function rowsOf(listed: SidebarContent): readonly Row[] {
  const { chats, horizon, paging } = listed;
  const families = familiesOf(chats);
  const roots = [...chats.values()].filter((chat) => isRoot(chat) && listed.shows(chat));
  const inProject = projectTest(listed);
  const current = roots.filter((chat) => !chat.archived && chat.pin_order === 0);
  const recent = current
    .filter((chat) => !inProject(chat))
    .filter(({ active_at }) => horizon === null || active_at >= horizon)
    .sort(byActivity);
  const isToday = ({ active_at }: Chat) => Date.parse(active_at) >= listed.today;
  const sections: [SidebarSection, Chat[]][] = [
    ['pinned', pinnedOf(chats).filter(listed.shows)],
    ['today', recent.filter(isToday)],
    ['earlier', recent.filter((chat) => !isToday(chat))],
  ];
  const rows: Row[] = [];
  for (const [section, members] of sections) {
    if (section === 'today') addProjects(rows, current, listed, families);
    if (members.length === 0) continue;
    rows.push({ kind: 'heading', key: section, section });
    for (const chat of members) addFamily(rows, chat, section, 0, families, listed.open);
  }
  if (paging !== 'all') rows.push({ kind: 'end', key: 'end', paging, depth: 0 });
  rows.push({
    kind: 'heading',
    key: 'archived',
    section: 'archived',
    open: listed.archived !== undefined,
  });
  if (listed.archived === undefined) return rows;
  const archived = roots.filter((chat) => chat.archived).sort(byActivity);
  for (const chat of archived) addFamily(rows, chat, 'archived', 0, families, listed.open);
  if (listed.archived !== 'all') {
    rows.push({ kind: 'end', key: 'end-archived', paging: listed.archived, depth: 0 });
  } else if (archived.length === 0) {
    rows.push({ kind: 'note', key: 'no-archived', text: 'No archived chats' });
  }
  return rows;
}

/** Whether a chat is shown in its project. A filtered list has no projects. */
function projectTest({ filter, projects }: SidebarContent): (chat: Chat) => boolean {
  if (isFiltered(filter)) return () => false;
  const known = projects && new Set(projects.map(({ id }) => id));
  return ({ project_id }) => project_id !== undefined && (known?.has(project_id) ?? true);
}

/** The projects, with the chats of expanded ones. */
function addProjects(
  rows: Row[],
  chats: readonly Chat[],
  { filter, projects = [], openProjects, open }: SidebarContent,
  families: Families,
): void {
  if (projects.length === 0 || isFiltered(filter)) return;
  rows.push({ kind: 'heading', key: 'projects', section: 'projects' });
  for (const project of projects) {
    const members = chats.filter(({ project_id }) => project_id === project.id);
    const paging = openProjects.get(project.id);
    const key = `project-${project.id}`;
    const hidden = paging === undefined ? members : [];
    rows.push({
      kind: 'project',
      key,
      project,
      open: paging !== undefined,
      asks: hidden.some((chat) => asks(chat, families)),
      unread: hidden.some(({ has_unread }) => has_unread),
    });
    if (paging === undefined) continue;
    for (const chat of members.toSorted(byActivity)) {
      addFamily(rows, chat, 'projects', 0, families, open);
    }
    if (paging !== 'all') rows.push({ kind: 'end', key: `end-${key}`, paging, depth: 1 });
    else if (members.length === 0) {
      rows.push({ kind: 'note', key: `no-${key}`, text: 'No chats' });
    }
  }
}

/** Search results, in the order of the server. */
export function foundRows(
  chats: ChatsById,
  found: Pick<Found, 'ids' | 'matches' | 'ended'>,
): readonly Row[] {
  const families = familiesOf(chats);
  const rows = found.ids.flatMap((id): Row[] => {
    const chat = chats.get(id);
    if (chat === undefined) return [];
    const match = found.matches.get(id);
    return [{ ...rowOf(chat, 'found', 0, families, false), ...(match && { match }) }];
  });
  if (found.ended && rows.length === 0) {
    rows.push({ kind: 'note', key: 'none', text: 'No matching chats' });
  }
  return rows;
}

function addFamily(
  rows: Row[],
  chat: Chat,
  section: SidebarSection,
  depth: number,
  families: Families,
  open: ReadonlyMap<string, Paging>,
): void {
  const paging = open.get(chat.id);
  rows.push(rowOf(chat, section, depth, families, paging !== undefined));
  if (paging === undefined) return;
  for (const agent of families.get(chat.id) ?? []) {
    addFamily(rows, agent, section, depth + 1, families, open);
  }
  if (paging !== 'all') {
    rows.push({ kind: 'end', key: `end-${chat.id}`, paging, depth: depth + 1 });
  }
}

function rowOf(
  chat: Chat,
  section: SidebarSection,
  depth: number,
  families: Families,
  open: boolean,
): ChatRow {
  const agents = families.get(chat.id) ?? [];
  return {
    kind: 'chat',
    key: chat.id,
    section,
    chat,
    state: stateOf(chat),
    ...activity(chat),
    depth,
    agents: agents.length,
    open: open && agents.length > 0,
    asksBelow: !open && agents.some((agent) => asks(agent, families)),
  };
}

function activity(chat: Chat): Pick<ChatRow, 'activity'> {
  const text = activityOf(chat);
  return text === undefined ? {} : { activity: text };
}

/** Whether the chat or one of its descendants matches. */
function asks(chat: Chat, families: Families): boolean {
  if (chat.status === 'requires_action') return true;
  return (families.get(chat.id) ?? []).some((agent) => asks(agent, families));
}

const isRoot = ({ parent_chat_id }: Chat) => parent_chat_id === undefined;
