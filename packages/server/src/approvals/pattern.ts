import type { Json } from '@chatd/protocol';

/** The part of a tool call that rules match. */
export interface ToolCallSummary {
  readonly tool_name: string;
  readonly args: Json;
  /** The root chat. Undefined: rules for a chat do not match. */
  readonly chat_id?: string | undefined;
}

interface Pattern {
  /** Undefined: any chat. */
  readonly chatId: string | undefined;
  readonly name: string;
  /** Undefined: any arguments. */
  readonly argument: string | undefined;
}

/**
 * `name` or `name(argument)`, after an optional `chat:ID `. The chat is part of the pattern so that earlier versions,
 * which do not know the prefix, match no call instead of every chat.
 */
export function parsePattern(text: string): Pattern {
  const [prefix = '', chatId] = /^chat:([\da-f-]{36}) /i.exec(text) ?? [];
  const call = text.slice(prefix.length);
  const open = call.indexOf('(');
  if (open === -1 || !call.endsWith(')')) return { chatId, name: call, argument: undefined };
  return { chatId, name: call.slice(0, open), argument: call.slice(open + 1, -1) };
}

/** The pattern, restricted to a chat and its subagents. */
export const inChat = (chatId: string, pattern: string): string => `chat:${chatId} ${pattern}`;

/** `*` matches any text, `\` escapes the next character, and the whole text must match. Runs in linear time. */
export function matchesGlob(glob: string, text: string): boolean {
  const wanted = symbols(glob);
  let at = 0;
  let star = -1;
  let retry = 0;
  for (let index = 0; index < text.length;) {
    const symbol = wanted[at];
    if (symbol?.any === true) {
      star = at;
      retry = index;
      at += 1;
    } else if (symbol !== undefined && symbol.character === text[index]) {
      at += 1;
      index += 1;
    } else if (star !== -1) {
      retry += 1;
      index = retry;
      at = star + 1;
    } else return false;
  }
  while (wanted[at]?.any === true) at += 1;
  return at === wanted.length;
}

export const hasWildcard = (glob: string): boolean => symbols(glob).some(({ any }) => any);

export const literal = (text: string): string => text.replaceAll(/[\\*]/g, '\\$&');

function symbols(glob: string): { readonly any: boolean; readonly character: string }[] {
  const all = [];
  for (let index = 0; index < glob.length; index += 1) {
    const escaped = glob[index] === '\\' && index + 1 < glob.length;
    if (escaped) index += 1;
    const character = glob[index] ?? '';
    all.push({ any: character === '*' && !escaped, character });
  }
  return all;
}

const MAIN_ARGUMENTS = ['command', 'path', 'url'] as const;

/** The text that an argument pattern matches: the main argument, or all arguments as JSON. */
export function mainArgument(args: Json): { readonly name: string | undefined; text: string } {
  if (typeof args === 'object' && args !== null && !Array.isArray(args)) {
    for (const name of MAIN_ARGUMENTS) {
      const value = args[name];
      if (typeof value === 'string') return { name, text: value };
    }
  }
  return { name: undefined, text: JSON.stringify(args) };
}
