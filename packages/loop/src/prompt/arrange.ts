import type { LanguageModelV4Message as Message } from '@ai-sdk/provider';
import { commonPrefix } from '../common-prefix.ts';
import { withoutTrailingReasoning } from './convert-assistant.ts';

type Assistant = Extract<Message, { role: 'assistant' }>;
type ToolMessage = Extract<Message, { role: 'tool' }>;
type Content = Assistant['content'];
type Part = Content[number];
type Call = Extract<Part, { type: 'tool-call' }>;

/** Placeholder for a missing result, because no provider accepts a prompt with open calls. */
const PENDING_RESULT = 'The result of this call has not arrived yet.';
const CONTINUE = 'Continue.';
const EARLIER = '(Earlier messages are omitted.)';

/**
 * Arranges the messages of a conversation, after those that are arranged already, so that every provider accepts them:
 * - each response is followed by one message with one result for each of its calls;
 * - a provider-executed call precedes its result, or ends a paused response;
 * - a paused response and its continuation are one message;
 * - the user speaks first and last, unless the provider continues a paused response.
 */
export function arrange(
  messages: readonly Message[],
  arranged: readonly Message[] = [],
): Message[] {
  return betweenUsers(joinResponses(arranged, complete(messages)));
}

/** Arranges the growing messages of a conversation, and each of them only while others can change it. */
export class Arrangement {
  /** Messages before a response that does not continue another one: whatever follows leaves them as they are. */
  #settled: readonly Message[] = [];
  #arranged: readonly Message[] = [];

  of(messages: readonly Message[]): Message[] {
    const { length } = this.#settled;
    if (!beginsResponse(messages, length) || commonPrefix(this.#settled, messages) < length) {
      this.#settled = [];
      this.#arranged = [];
    }
    const from = this.#settled.length;
    const to = messages.findLastIndex((_, at) => beginsResponse(messages, at));
    if (to > from) {
      this.#arranged = joinResponses(this.#arranged, complete(messages.slice(from, to)));
      this.#settled = messages.slice(0, to);
    }
    return arrange(messages.slice(Math.max(from, to)), this.#arranged);
  }
}

/** A response without its calls' counterparts may be removed. */
function beginsResponse(messages: readonly Message[], at: number): boolean {
  const message = messages[at];
  return (
    message?.role === 'assistant' &&
    messages[at - 1]?.role !== 'assistant' &&
    isPaired(message.content)
  );
}

const complete = (messages: readonly Message[]): Message[] =>
  answerCalls(pairProviderCalls(messages));

/** A paused response and the one that continues it are one message: Google accepts calls only after a user message. */
function joinResponses(arranged: readonly Message[], added: readonly Message[]): Message[] {
  const joined = [...arranged];
  for (const message of added) {
    const before = joined.at(-1);
    if (message.role === 'assistant' && before?.role === 'assistant') {
      joined[joined.length - 1] = { ...message, content: [...before.content, ...message.content] };
    } else {
      joined.push(message);
    }
  }
  return joined;
}

const text = (value: string): Message => ({
  role: 'user',
  content: [{ type: 'text', text: value }],
});

function betweenUsers(messages: readonly Message[]): Message[] {
  const first = messages.findIndex(({ role }) => role !== 'system');
  if (first < 0) return [...messages, text(CONTINUE)];
  const last = messages.at(-1);
  return [
    ...messages.slice(0, first),
    ...(messages[first]?.role === 'user' ? [] : [text(EARLIER)]),
    ...messages.slice(first),
    ...(last?.role === 'assistant' && !isPaused(last.content) ? [text(CONTINUE)] : []),
  ];
}

const isLocalCall = (part: Part): part is Call =>
  part.type === 'tool-call' && part.providerExecuted !== true;

const isProviderCall = (part: Part): part is Call =>
  part.type === 'tool-call' && part.providerExecuted === true;

/** Its last block is for the provider to continue. */
function isPaused(content: Content): boolean {
  const last = content.at(-1);
  return last !== undefined && (isProviderCall(last) || last.type === 'tool-result');
}

/** Results that were committed later, such as those of a client, join the message after their response. */
function answerCalls(messages: readonly Message[]): Message[] {
  const arranged: Message[] = [];
  let open: Call[] = [];
  let at = -1;
  const close = () => {
    if (open.length > 0) addResults(arranged, at, pendingResults(open));
    open = [];
  };
  for (const message of messages) {
    if (message.role === 'tool') {
      const results = message.content.filter((part) => {
        const answered = open.findIndex(
          (call) => part.type === 'tool-result' && call.toolCallId === part.toolCallId,
        );
        return answered >= 0 && open.splice(answered, 1).length > 0;
      });
      const isWhole = results.length === message.content.length;
      addResults(arranged, at, isWhole ? message : { ...message, content: results });
      continue;
    }
    if (message.role === 'assistant') {
      close();
      open = message.content.filter(isLocalCall);
      at = arranged.length + 1;
    }
    arranged.push(message);
  }
  close();
  return arranged;
}

function addResults(messages: Message[], at: number, added: ToolMessage): void {
  if (added.content.length === 0) return;
  const present = messages[at];
  if (present?.role === 'tool') {
    messages[at] = { ...present, content: [...present.content, ...added.content] };
  } else {
    messages.splice(at, 0, added);
  }
}

const pendingResults = (calls: readonly Call[]): ToolMessage => ({
  role: 'tool',
  content: calls.map(({ toolCallId, toolName }) => ({
    type: 'tool-result',
    toolCallId,
    toolName,
    output: { type: 'text', value: PENDING_RESULT },
  })),
});

/**
 * A paused response continues in the next one, so a call and its result may be in adjacent messages. Without its
 * counterpart, neither is sent.
 */
function pairProviderCalls(messages: readonly Message[]): Message[] {
  return messages.flatMap((message, index): Message[] => {
    if (message.role !== 'assistant' || isPaired(message.content)) return [message];
    const { calls, results } = providerIds(neighbors(messages, index));
    const isLast = index === messages.length - 1;
    const kept = message.content.filter((part, at) => {
      if (part.type === 'tool-result') return calls.has(part.toolCallId);
      if (!isProviderCall(part) || results.has(part.toolCallId)) return true;
      return isLast && endsWithCalls(message.content, at);
    });
    const content = withoutTrailingReasoning(kept);
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

function isPaired(content: Content): boolean {
  if (!content.some((part) => isProviderCall(part) || part.type === 'tool-result')) return true;
  const { calls, results } = providerIds([content]);
  return calls.size === results.size && [...calls].every((id) => results.has(id));
}

const endsWithCalls = (content: Content, from: number): boolean =>
  content.slice(from).every(isProviderCall);

/** The consecutive responses around `index`. */
function neighbors(messages: readonly Message[], index: number): Content[] {
  const before = messages.slice(0, index).findLastIndex(({ role }) => role !== 'assistant');
  const behind = messages.findIndex(({ role }, at) => at > index && role !== 'assistant');
  return messages
    .slice(before + 1, behind < 0 ? messages.length : behind)
    .flatMap((message) => (message.role === 'assistant' ? [message.content] : []));
}

function providerIds(contents: readonly Content[]): { calls: Set<string>; results: Set<string> } {
  const parts = contents.flat();
  return {
    calls: new Set(parts.filter(isProviderCall).map((part) => part.toolCallId)),
    results: new Set(
      parts.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])),
    ),
  };
}
