import { createHash } from 'node:crypto';
import type { ContentBlock, PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk';
import type { StreamedEvent } from '@chatd/client';
import type { Json, Message, ToolCallPart, ToolResultPart } from '@chatd/protocol';
import {
  displayOf,
  EDITOR_TOOL,
  fenced,
  recordOf,
  resultContent,
  textContent,
} from './tool-display.ts';

const TODO_TOOL = 'todo_write';

/** Live output of a tool is sent again as a whole with each update, so it is limited to its end. */
const LIVE_OUTPUT = 8192;

type MessagePart = Extract<StreamedEvent, { type: 'message_part' }>;

interface ShownCall {
  hasArguments: boolean;
  /** Part of a stored message. Otherwise it disappears if its attempt fails. */
  committed: boolean;
  output: string;
}

/** Live text of a step that was sent to the editor. */
interface Preview {
  readonly id: string;
  text: string;
  reasoning: string;
}

/** Converts the events of a chat to session updates. Nothing is sent twice, since an editor cannot take text back. */
export class Transcript {
  readonly #url: string;
  readonly #shown = new Set<string>();
  readonly #calls = new Map<string, ShownCall>();
  #preview: Preview | undefined;

  /** `url` is that of the server, for links to files. */
  constructor(url: string) {
    this.#url = url;
  }

  /** `isOwn`: the editor already shows the user message of this event. */
  updates(event: StreamedEvent, isOwn = false): SessionUpdate[] {
    switch (event.type) {
      case 'message':
        return this.#message(event.message, isOwn);
      case 'message_part':
        return this.#part(event);
      case 'preview_reset': {
        this.#preview = undefined;
        const dropped = [...this.#calls].filter(([, { committed }]) => !committed);
        for (const [id] of dropped) this.#calls.delete(id);
        return dropped.map(([toolCallId]) => ({
          sessionUpdate: 'tool_call_update',
          toolCallId,
          status: 'failed',
        }));
      }
      case 'history_reset':
        this.#preview = undefined;
        this.#calls.clear();
        return [];
      case 'status':
      case 'queue_update':
      case 'action_required':
      case 'retry':
      case 'error':
      case 'viewers':
        return [];
    }
  }

  /** The update for a call that was made in a chat, unless it was sent before. */
  announce(part: Pick<ToolCallPart, 'tool_call_id' | 'tool_name' | 'args'>): SessionUpdate[] {
    const { tool_call_id: toolCallId, tool_name: name, args } = part;
    const known = this.#calls.get(toolCallId);
    if (name === TODO_TOOL) return args === undefined || known ? [] : this.#plan(toolCallId, args);
    const { title, kind, content, locations } = displayOf(name, args);
    const details = {
      title,
      ...(args !== undefined && { rawInput: args }),
      ...(content.length > 0 && { content }),
      ...(locations.length > 0 && { locations }),
    };
    if (known === undefined) {
      const hasArguments = args !== undefined;
      this.#calls.set(toolCallId, { hasArguments, committed: false, output: '' });
      const status = 'pending';
      return [{ sessionUpdate: 'tool_call', toolCallId, name, kind, status, ...details }];
    }
    if (args === undefined || known.hasArguments) return [];
    known.hasArguments = true;
    return [{ sessionUpdate: 'tool_call_update', toolCallId, ...details }];
  }

  #plan(id: string, args: Json): SessionUpdate[] {
    this.#calls.set(id, { hasArguments: true, committed: true, output: '' });
    const { todos } = recordOf(args);
    if (!Array.isArray(todos)) return [];
    const entries = todos.map(recordOf).map(({ content, status }): PlanEntry => {
      const known = status === 'completed' || status === 'in_progress' ? status : 'pending';
      return { content: String(content), priority: 'medium', status: known };
    });
    return [{ sessionUpdate: 'plan', entries }];
  }

  #part({ part, history_version, attempt }: MessagePart): SessionUpdate[] {
    switch (part.type) {
      case 'text':
      case 'reasoning': {
        if (part.text === '') return [];
        const id = `${history_version}.${attempt}`;
        if (this.#preview?.id !== id) this.#preview = { id, text: '', reasoning: '' };
        this.#preview[part.type] += part.text;
        return [chunk(part.type, part.text, id)];
      }
      case 'tool-call':
        return this.announce(part);
      case 'tool-result':
        return this.#result(part);
      case 'file':
      case 'file-reference':
      case 'source':
        return [];
    }
  }

  #message(message: Message, isOwn: boolean): SessionUpdate[] {
    // After an edit, the stream repeats the whole history.
    const hash = createHash('sha256').update(JSON.stringify(message.content)).digest('base64');
    const key = `${message.id} ${hash}`;
    if (this.#shown.has(key)) return [];
    this.#shown.add(key);
    if (message.role === 'user') return isOwn ? [] : this.#userMessage(message);
    const messageId = this.#preview?.id ?? String(message.id);
    // What the editor has not seen yet of the texts.
    const sent = { text: this.#preview?.text ?? '', reasoning: this.#preview?.reasoning ?? '' };
    const updates = message.content.flatMap((part): SessionUpdate[] => {
      switch (part.type) {
        case 'text':
        case 'reasoning': {
          const seen = sent[part.type];
          sent[part.type] = seen.startsWith(part.text) ? seen.slice(part.text.length) : '';
          if (seen.startsWith(part.text)) return [];
          if (part.text.startsWith(seen)) {
            return [chunk(part.type, part.text.slice(seen.length), messageId)];
          }
          return part.type === 'text' ? [chunk('text', part.text, String(message.id))] : [];
        }
        case 'tool-call': {
          const wasLive = this.#calls.has(part.tool_call_id);
          const announced = this.announce(part);
          const call = this.#calls.get(part.tool_call_id);
          if (call !== undefined) call.committed = true;
          return wasLive && part.tool_name !== TODO_TOOL
            ? [...announced, running(part.tool_call_id)]
            : announced;
        }
        case 'tool-result':
          return this.#result(part);
        case 'file': {
          const content = this.#file(part.file_id, part.name, part.media_type);
          return [{ sessionUpdate: 'agent_message_chunk', content, messageId }];
        }
        case 'file-reference':
        case 'source':
          return [];
      }
    });
    const { total_tokens: used, context_limit: size } = message.usage ?? {};
    if (message.role === 'assistant' && used !== undefined && size !== undefined) {
      updates.push({ sessionUpdate: 'usage_update', used, size });
    }
    return updates;
  }

  #userMessage({ id, content }: Message): SessionUpdate[] {
    return content.flatMap((part): SessionUpdate[] => {
      const block: ContentBlock | undefined =
        part.type === 'text'
          ? { type: 'text', text: part.text }
          : part.type === 'file'
            ? this.#file(part.file_id, part.name, part.media_type)
            : part.type === 'file-reference'
              ? { type: 'text', text: `${part.file_name}\n${fenced(part.content)}` }
              : undefined;
      if (block === undefined) return [];
      return [{ sessionUpdate: 'user_message_chunk', content: block, messageId: String(id) }];
    });
  }

  #file(id: string, name: string | undefined, mimeType: string): ContentBlock {
    const uri = `${this.#url}/api/v1/files/${id}`;
    return { type: 'resource_link', name: name ?? 'file', uri, mimeType };
  }

  #result(part: ToolResultPart): SessionUpdate[] {
    const { tool_call_id: toolCallId, tool_name: name, result, is_error } = part;
    const call = this.#calls.get(toolCallId);
    if (name === TODO_TOOL) return [];
    if (result === undefined && is_error !== true) {
      if (call === undefined || part.result_delta === undefined) return [running(toolCallId)];
      call.output = (call.output + part.result_delta).slice(-LIVE_OUTPUT);
      return [{ ...running(toolCallId), content: [textContent(fenced(call.output))] }];
    }
    this.#calls.delete(toolCallId);
    const content = this.#resultContent(part);
    return [
      {
        sessionUpdate: 'tool_call_update',
        toolCallId,
        status: is_error === true ? 'failed' : 'completed',
        rawOutput: result ?? null,
        ...(content.length > 0 && { content }),
      },
    ];
  }

  /** Diffs and terminals stay. Errors replace them, because nothing was changed. */
  #resultContent({ tool_name: name, result, is_error, file_ids = [] }: ToolResultPart) {
    const isEdit = displayOf(name, undefined).kind === 'edit' || name.startsWith(EDITOR_TOOL);
    if (isEdit && is_error !== true) return [];
    const files = file_ids.map((id) => ({
      type: 'content' as const,
      content: this.#file(id, undefined, 'image/png'),
    }));
    return [...resultContent(result ?? ''), ...files];
  }
}

const running = (toolCallId: string) =>
  ({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' }) as const;

const chunk = (type: 'text' | 'reasoning', text: string, messageId: string): SessionUpdate => ({
  sessionUpdate: type === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk',
  content: { type: 'text', text },
  messageId,
});
