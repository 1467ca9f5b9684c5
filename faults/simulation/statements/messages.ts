import { historyOfTurn } from '../../../packages/server/src/store/queries/messages/history-of-turn.ts';
import {
  answeredSinceSummary,
  findCommit,
  findMessage,
  messageBefore,
  questionOf,
} from '../../../packages/server/src/store/queries/messages/read.ts';
import {
  beginVersion,
  findVersion,
  indexAfter,
  listVersions,
  nameCurrentVersion,
  restoreVersion,
  storeVersion,
} from '../../../packages/server/src/store/queries/messages/versions.ts';
import {
  dropMessagesAfter,
  insertMessages,
  replaceMessage,
} from '../../../packages/server/src/store/queries/messages/write.ts';
import type { MessageMeta } from '@chatd/loop';
import type { ChatData, MessageData, Session, VersionData } from '../postgres.ts';
import { append, parse } from './append.ts';
import { on } from './statement.ts';

const historyOf = (session: Session, chatId: string): readonly MessageData[] =>
  session.chat(chatId)?.messages ?? [];

interface Point {
  readonly after_id: number;
  readonly after_revision: number;
}

const isAt =
  ({ after_id, after_revision }: Point) =>
  (version: VersionData): boolean =>
    version.after_id === after_id && version.after_revision === after_revision;

/** The point is in the history. */
const isReachable = ({ messages }: ChatData, { after_id, after_revision }: VersionData): boolean =>
  after_id === 0 ||
  messages.some(({ id, revision }) => id === after_id && revision === after_revision);

const newVersion = (session: Session, { after_id, after_revision }: Point): VersionData => ({
  id: session.postgres.newId(),
  after_id,
  after_revision,
  is_current: true,
  created_at: session.startedAt,
  open_calls: [],
  interrupted: false,
  messages: [],
});

/** The messages that the loop needs after a summary: see the statement. */
function sinceSummary(messages: readonly MessageData[]): readonly MessageData[] {
  const summary = messages.findLast(({ hidden }) => hidden);
  if (summary === undefined) return messages;
  const before = messages.filter(({ id }) => id < summary.id);
  const response = before.findLast(
    ({ role, meta }) =>
      role === 'assistant' && (meta as MessageMeta | null)?.finish_reason !== undefined,
  );
  const question = before.findLast(({ role, hidden }) => role === 'user' && !hidden);
  const first = Math.min(response?.id ?? 0, question?.id ?? 0);
  return messages.filter(({ id }) => id >= first);
}

export const MESSAGE_STATEMENTS = [
  on(insertMessages, async (session, { chat_id, revision, messages }) => {
    const chat = await session.lock(chat_id);
    return chat === undefined ? [] : append(session, chat, parse(messages), revision);
  }),

  on(historyOfTurn, (session, { chat_id, after_id }) => [
    ...sinceSummary(historyOf(session, chat_id).filter(({ id }) => id > after_id)),
  ]),

  on(findCommit, (session, { chat_id, runner_id, base_version, attempt }) =>
    historyOf(session, chat_id).filter(
      (message) =>
        message.runner_id === runner_id &&
        message.base_version === base_version &&
        message.attempt === attempt,
    ),
  ),

  on(findMessage, (session, { chat_id, id }) =>
    historyOf(session, chat_id).filter((message) => message.id === id),
  ),

  on(messageBefore, (session, { chat_id, id }) =>
    historyOf(session, chat_id)
      .filter((message) => message.id < id)
      .slice(-1),
  ),

  on(questionOf, (session, { chat_id, id }) => {
    const messages = historyOf(session, chat_id);
    if (!messages.some((message) => message.id === id && !message.hidden)) return [];
    return messages
      .filter((message) => message.id <= id && message.role === 'user' && !message.hidden)
      .slice(-1);
  }),

  on(answeredSinceSummary, (session, { chat_id }) => {
    const messages = historyOf(session, chat_id);
    const summary = messages.findLast(({ hidden }) => hidden)?.id ?? 0;
    return [{ answered: messages.some(({ id, role }) => role === 'assistant' && id > summary) }];
  }),

  on(dropMessagesAfter, async (session, { chat_id, message_id }) => {
    const chat = await session.lock(chat_id);
    if (chat === undefined) return [];
    const dropped = chat.messages.filter(({ id }) => id > message_id);
    chat.messages = chat.messages.filter(({ id }) => id <= message_id);
    return dropped;
  }),

  on(replaceMessage, async (session, params) => {
    const { chat_id, id, revision, content, created_by, model_config_id, author } = params;
    const chat = await session.lock(chat_id);
    if (chat === undefined) return [];
    chat.messages = chat.messages.map((message) => {
      if (message.id !== id) return message;
      const { author: _, ...meta } = (message.meta ?? {}) as Record<string, string>;
      const kept = author === null ? meta : { ...meta, author };
      return {
        ...message,
        revision,
        content: parse(content),
        created_by,
        model_config_id,
        meta: Object.keys(kept).length === 0 ? null : kept,
      };
    });
    return chat.messages.filter((message) => message.id === id);
  }),

  on(nameCurrentVersion, async (session, { chat_id, ...point }) => {
    const chat = await session.lock(chat_id);
    if (chat === undefined) return [];
    const isNamed = chat.versions.some((version) => isAt(point)(version) && version.is_current);
    const isFollowed = chat.messages.some(({ id }) => id > point.after_id);
    if (isFollowed && !isNamed) chat.versions = [...chat.versions, newVersion(session, point)];
    return [];
  }),

  on(storeVersion, async (session, { chat_id, open_calls, interrupted, even_empty, ...point }) => {
    const chat = await session.lock(chat_id);
    if (chat === undefined) return [];
    const messages = chat.messages.filter(({ id }) => id > point.after_id);
    if (!even_empty && messages.length === 0) return [];
    chat.versions = chat.versions.map((version) =>
      isAt(point)(version) && version.is_current
        ? { ...version, is_current: false, open_calls: parse(open_calls), interrupted, messages }
        : version,
    );
    return [];
  }),

  on(beginVersion, async (session, { chat_id, ...point }) => {
    const chat = await session.lock(chat_id);
    if (chat === undefined) return [];
    const here = chat.versions.filter(isAt(point));
    if (here.length > 0 && !here.some(({ is_current }) => is_current)) {
      chat.versions = [...chat.versions, newVersion(session, point)];
    }
    return [];
  }),

  on(restoreVersion, async (session, { chat_id, version_id }) => {
    const chat = await session.lock(chat_id);
    if (chat === undefined) return [];
    const stored = chat.versions.find(({ id }) => id === version_id);
    // A message that is moved back was not committed again.
    const moved = (stored?.messages ?? []).map((message): MessageData => ({
      ...message,
      base_version: null,
      attempt: null,
      runner_id: null,
    }));
    chat.messages = [...chat.messages, ...moved].sort((one, other) => one.id - other.id);
    chat.versions = chat.versions.map((version) =>
      version.id === version_id ? { ...version, is_current: true, messages: [] } : version,
    );
    return [];
  }),

  on(indexAfter, () => []),

  on(findVersion, (session, { chat_id, id }) => {
    const chat = session.chat(chat_id);
    return (
      chat?.versions.filter((version) => version.id === id && isReachable(chat, version)) ?? []
    );
  }),

  on(listVersions, (session, { chat_id }) => {
    const chat = session.chat(chat_id);
    const found = chat?.versions.filter((version) => isReachable(chat, version)) ?? [];
    return found
      .sort((one, other) => one.after_id - other.after_id || one.id - other.id)
      .map(({ id, after_id, is_current, created_at }) => ({
        id,
        after_id,
        is_current,
        created_at,
        message_id: null,
        text: null,
      }));
  }),
];
