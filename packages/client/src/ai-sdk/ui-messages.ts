import type { AwaitedCall, Message, Part, SourcePart, ToolResultPart } from '@chatd/protocol';
import type { UIMessage } from 'ai';

/** Facts that stored messages do not contain. */
export interface ToUIMessagesOptions {
  /** Names of the chat's `dynamic_tools`. Their calls become `tool-NAME` parts. */
  readonly tools?: readonly string[] | undefined;
  /** Pending calls of the chat. Calls that need an approval are marked as such. */
  readonly awaited?: readonly AwaitedCall[] | undefined;
  /** URL of the server, for file URLs. Default: relative URLs. */
  readonly url?: string | undefined;
}

type UIPart = UIMessage['parts'][number];
type Written<T> = { -readonly [Key in keyof T]: T[Key] };
interface Reply {
  readonly message: Written<UIMessage>;
  readonly totals: Totals;
  steps: number;
}

const DENIED = 'The call was not run: the user denied it.';

/**
 * Converts stored messages to AI SDK messages. The reply to a user message is one message, with a step for each model
 * response: the same result as streaming the turn.
 */
export function toUIMessages(
  messages: readonly Message[],
  options: ToUIMessagesOptions = {},
): UIMessage[] {
  const shown: UIMessage[] = [];
  let reply: Reply | undefined;
  let last: Message['role'] | undefined;
  for (const message of messages) {
    if (message.role === 'user' && last === 'tool' && reply !== undefined) {
      const parts = userParts(message, options) as never;
      reply.message.parts.push({ type: 'steering-message', id: String(message.id), parts });
    } else if (message.role === 'user') {
      const { id } = message;
      shown.push({ id: String(id), role: 'user', parts: userParts(message, options) });
      reply = undefined;
    } else if (message.role === 'assistant') {
      reply ??= beginReply(shown, message);
      addStep(reply, message, options);
    } else if (message.role === 'tool' && reply !== undefined) {
      for (const part of message.content) if (part.type === 'tool-result') answer(reply, part);
    }
    last = message.role;
  }
  if (reply !== undefined) askForApproval(reply, options.awaited ?? []);
  return shown;
}

function beginReply(shown: UIMessage[], { id, chat_id }: Message): Reply {
  const asked = shown.at(-1);
  const turn = asked?.role === 'user' ? asked.id : String(id);
  const message: Written<UIMessage> = { id: `reply-${turn}`, role: 'assistant', parts: [] };
  shown.push(message);
  return { message, totals: { chat_id }, steps: 0 };
}

function userParts({ content }: Message, options: ToUIMessagesOptions): UIPart[] {
  return content.flatMap((part): UIPart[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    if (part.type !== 'file') return [];
    const file = filePart(part, options);
    return [part.name === undefined ? file : { ...file, filename: part.name }];
  });
}

const filePart = (part: Part & { type: 'file' }, { url = '' }: ToUIMessagesOptions) => ({
  type: 'file' as const,
  url: `${url}/api/v1/files/${part.file_id}`,
  mediaType: part.media_type,
});

function addStep(reply: Reply, message: Message, options: ToUIMessagesOptions): void {
  const { parts } = reply.message;
  reply.steps += 1;
  let spoken = 0;
  let open: UIPart | undefined;
  const sources = new Set<string>();
  parts.push({ type: 'step-start' });
  for (const part of message.content) {
    if (part.type === 'text' || part.type === 'reasoning') {
      if (part.text === '') continue;
      if (open?.type === part.type) {
        (open as { text: string }).text += part.text;
        continue;
      }
      spoken += 1;
      const { text } = part;
      open =
        part.type === 'text'
          ? { type: 'text', text, state: 'done' }
          : { type: 'reasoning', id: `${reply.steps}.${spoken}`, text, state: 'done' };
      parts.push(open);
      continue;
    }
    // A text continues after its cited sources.
    if (part.type === 'source') {
      if (!sources.has(part.url)) parts.push(sourcePart(part));
      sources.add(part.url);
      continue;
    }
    open = undefined;
    if (part.type === 'tool-result') answer(reply, part);
    else parts.push(...otherPart(part, options));
  }
  addTo(reply.totals, message);
  reply.message.metadata = { ...reply.totals };
}

const sourcePart = ({ source_id: sourceId, url, title }: SourcePart): UIPart => ({
  type: 'source-url',
  sourceId,
  url,
  ...(title !== undefined && { title }),
});

function otherPart(part: Part, options: ToUIMessagesOptions): UIPart[] {
  if (part.type === 'file') return [filePart(part, options)];
  if (part.type !== 'tool-call') return [];
  const known = options.tools?.includes(part.tool_name) === true;
  return [
    {
      ...(known
        ? { type: `tool-${part.tool_name}` as const }
        : { type: 'dynamic-tool' as const, toolName: part.tool_name }),
      toolCallId: part.tool_call_id,
      state: 'input-available',
      input: part.args ?? {},
      ...(part.provider_executed === true && { providerExecuted: true }),
    },
  ];
}

type ToolPart = Written<Extract<UIPart, { type: 'dynamic-tool' }>>;

const toolPart = ({ message }: Reply, id: string) =>
  message.parts.find((part) => 'toolCallId' in part && part.toolCallId === id) as
    | ToolPart
    | undefined;

function answer(reply: Reply, { tool_call_id, result, is_error }: ToolResultPart): void {
  const part = toolPart(reply, tool_call_id);
  if (part === undefined) return;
  if (is_error !== true) {
    Object.assign(part, { state: 'output-available', output: result ?? null });
    return;
  }
  const errorText = typeof result === 'string' ? result : JSON.stringify(result);
  if (errorText.startsWith(DENIED)) {
    const reason = errorText.slice(DENIED.length).replace(/^ Reason: /, '');
    const approval = { id: tool_call_id, approved: false, ...(reason !== '' && { reason }) };
    Object.assign(part, { state: 'output-denied', approval });
  } else Object.assign(part, { state: 'output-error', errorText });
}

function askForApproval(reply: Reply, awaited: readonly AwaitedCall[]): void {
  for (const { kind, tool_call_id: id } of awaited) {
    const part = kind === 'approval' ? toolPart(reply, id) : undefined;
    if (part !== undefined) Object.assign(part, { state: 'approval-requested', approval: { id } });
  }
}

interface Totals {
  chat_id: string;
  usage?: Record<string, number>;
  model_config_id?: string;
  cost_micros?: number;
}

function addTo(totals: Totals, { usage = {}, model_config_id, cost_micros }: Message): void {
  for (const [name, tokens] of Object.entries(usage)) {
    if (tokens === undefined) continue;
    totals.usage ??= {};
    // The context limit is not a sum.
    totals.usage[name] = name === 'context_limit' ? tokens : (totals.usage[name] ?? 0) + tokens;
  }
  if (model_config_id !== undefined) totals.model_config_id = model_config_id;
  if (cost_micros !== undefined) totals.cost_micros = (totals.cost_micros ?? 0) + cost_micros;
}
