import type { Message } from '@chatd/protocol';
import type { Token } from 'markdown-it';
import type { BlockStream } from '../../markdown/blocks/block-stream.ts';
import type { Block, BlockGroup } from '../../markdown/blocks/block.ts';
import { parseBlock, parseInline, referencesOf } from '../../markdown/parse/parser.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { rowsOfPiece } from '../rows/build-rows.ts';
import type { Row } from '../rows/row.ts';
import { textsOf } from '../rows/turn.ts';
import { argumentsOf, plain, resultText } from '../tools/read-view.ts';

export interface Match {
  /** The row that shows it. */
  readonly key: string;
  readonly messageId: number;
  /** Its number among the matches in the row. */
  readonly nth: number;
  /** What must be expanded to show it. */
  readonly fold: string | undefined;
}

const MOST = 1000;

/** Any whitespace between the words, any case. Undefined: too short. */
export function patternOf(words: string): RegExp | undefined {
  const parts = words.trim().split(/\s+/);
  if (parts.join('').length < 2) return undefined;
  return new RegExp(parts.map(escaped).join('\\s+'), 'giu');
}

const escaped = (word: string): string => word.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');

/** The matches in everything that the chat shows, in order. If there are too many, the newest ones. */
export function matchesIn(
  store: ChatStore,
  messages: readonly Message[],
  pattern: RegExp | undefined,
): Match[] {
  if (pattern === undefined) return [];
  const newestFirst: Match[] = [];
  for (let at = messages.length - 1; at >= 0 && newestFirst.length < MOST; at -= 1) {
    const message = messages[at];
    if (message === undefined) continue;
    newestFirst.push(...inMessage(store, message, pattern).toReversed());
  }
  return newestFirst.slice(0, MOST).toReversed();
}

function inMessage(store: ChatStore, message: Message, pattern: RegExp): Match[] {
  const { id: messageId, role } = message;
  if (role === 'user') {
    const key = `${messageId}`;
    return inTexts(textsOf(message), pattern, { key, messageId, fold: key });
  }
  if (role !== 'assistant') return [];
  return store
    .piecesOf(message)
    .flatMap((piece) => rowsOfPiece(piece, messageId))
    .flatMap((row) =>
      inTexts(textsIn(row, store, pattern), pattern, {
        key: row.key,
        messageId,
        fold: foldOf(row),
      }),
    );
}

function inTexts(texts: readonly string[], pattern: RegExp, place: Omit<Match, 'nth'>): Match[] {
  const matches: Match[] = [];
  for (const text of texts) {
    for (const _ of text.matchAll(pattern)) {
      matches.push({ ...place, nth: matches.length });
      if (matches.length === MOST) return matches;
    }
  }
  return matches;
}

function foldOf(row: Row): string | undefined {
  if (row.kind === 'tool') return row.callId;
  return row.kind === 'reasoning' || row.kind === 'sources' ? row.key : undefined;
}

/** The texts of a row, in the order in which they are shown. */
function textsIn(row: Row, store: ChatStore, pattern: RegExp): string[] {
  if (row.kind === 'text') return [textOf(row.group, row.stream, pattern)];
  if (row.kind === 'reasoning') {
    const { stream } = row.piece;
    return stream.groups.get().map((group) => textOf(group, stream, pattern));
  }
  if (row.kind === 'tool') {
    const view = store.tools.view(row.callId)?.get();
    if (view === undefined) return [];
    return [...Object.values(argumentsOf(view)).map(plain), resultText(view)];
  }
  if (row.kind === 'sources')
    return row.sources.flatMap(({ title, url }) => [title ?? '', url ?? '']);
  return row.kind === 'file' ? [row.part.name ?? ''] : [];
}

const rendered = new WeakMap<Block, string>();

/** Markdown as it is rendered. Blocks without the words are not parsed. */
function textOf(group: BlockGroup, stream: BlockStream, pattern: RegExp): string {
  const words = pattern.source.split('\\s+').map((word) => new RegExp(word, 'iu'));
  return group.blocks
    .get()
    .map((block) => {
      const known = rendered.get(block);
      if (known !== undefined) return known;
      if (block.kind !== 'prose') return block.text;
      if (!words.every((word) => word.test(block.text))) return '';
      const references = referencesOf(stream.definitions);
      const parse = block.joined ? parseInline : parseBlock;
      const text = textOfTokens(parse(block.text, references));
      rendered.set(block, text);
      return text;
    })
    .join('\n');
}

const UNSEEN = new Set(['math_inline', 'citation', 'image']);

const textOfTokens = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if (token.children !== null && token.type === 'inline') return textOfTokens(token.children);
      if (token.type === 'softbreak' || token.type === 'hardbreak' || token.block) {
        return `${token.content}\n`;
      }
      return UNSEEN.has(token.type) ? '' : token.content;
    })
    .join('');
