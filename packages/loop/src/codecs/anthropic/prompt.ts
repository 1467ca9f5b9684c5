import type {
  JSONObject,
  LanguageModelV4Message as Message,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider';
import { type Fields, hasOnly, isFields, isString } from '../fields.ts';
import { mapAll } from '../map-all.ts';
import { bySystem, type EncodedMessage, PromptJson } from '../prompt-json.ts';
import type { EncodedPrompt } from '../wire-format.ts';

type Part<Role extends Message['role']> = Extract<Message, { role: Role }>['content'][number];
type Output = Extract<Part<'tool'>, { type: 'tool-result' }>['output'];
type FileData = Extract<Part<'user'>, { type: 'file' }>['data'];

/** Blocks of content, or undefined if a part is outside the subset. */
type Blocks = JSONObject[] | undefined;

const PDF = 'application/pdf';
const PDF_BETA = 'pdfs-2024-09-25';
/** More are ignored by the package. */
const MAX_MARKS = 4;

/** Prompts of Anthropic's Messages API. */
export class AnthropicPrompts {
  readonly #betas: string;
  readonly #messages = new PromptJson(messageJson);

  constructor(betas: string) {
    this.#betas = betas;
  }

  encode(prompt: LanguageModelV4Prompt): EncodedPrompt | undefined {
    const { system, others } = bySystem(prompt);
    const instructions = mapAll(system, blocksOf);
    const encoded = instructions && this.#messages.of(others);
    const last = encoded?.state;
    // The package changes a last message of the assistant.
    if (encoded === undefined || last?.role !== 'user') return undefined;
    if (last.marks + system.filter(isMarked).length > MAX_MARKS) return undefined;
    const fields = system.length === 0 ? '' : `"system":${JSON.stringify(instructions?.flat())},`;
    return {
      fields: [`${fields}"messages":[`, encoded.bytes, ']}]'],
      ...(last.withPdf && { headers: { 'anthropic-beta': this.#withPdfBeta() } }),
    };
  }

  #withPdfBeta(): string {
    return [...new Set([PDF_BETA, ...this.#betas.split(',')])]
      .filter((beta) => beta !== '')
      .join(',');
  }
}

/** What a request says up to a message. */
interface MessageState {
  readonly role: 'user' | 'assistant';
  readonly marks: number;
  readonly withPdf: boolean;
}

const isMarked = ({ providerOptions }: Message): boolean => providerOptions !== undefined;

/** Consecutive messages of users and tools are one message, which stays open. */
function messageJson(
  message: Message,
  before: MessageState | undefined,
): EncodedMessage<MessageState> | undefined {
  if (message.role === 'system') return undefined;
  const role = message.role === 'assistant' ? 'assistant' : 'user';
  const blocks = before?.role === role && role === 'assistant' ? undefined : blocksOf(message);
  if (blocks === undefined) return undefined;
  const json = JSON.stringify(blocks).slice(1, -1);
  const opening = `${before === undefined ? '' : ']},'}{"role":"${role}","content":[`;
  return {
    json: `${before?.role === role ? ',' : opening}${json}`,
    state: {
      role,
      marks: (before?.marks ?? 0) + Number(isMarked(message)),
      withPdf: before?.withPdf === true || blocks.some(hasPdf),
    },
  };
}

function hasPdf({ type, content }: JSONObject): boolean {
  return (
    type === 'document' ||
    (Array.isArray(content) &&
      content.some((part) => isFields(part) && part['type'] === 'document'))
  );
}

function blocksOf(message: Message): Blocks {
  const mark = markOf(message.providerOptions);
  const blocks = mark && contentOf(message);
  const last = blocks?.pop();
  if (blocks === undefined || last === undefined) return undefined;
  const isThought = last['type'] === 'thinking' || last['type'] === 'redacted_thinking';
  blocks.push(isThought ? last : { ...last, ...mark });
  return message.role === 'assistant' ? callsLast(blocks) : blocks;
}

/** The cache mark of a message. Undefined if there are other options. */
function markOf(options: Fields | undefined): JSONObject | undefined {
  if (options === undefined) return {};
  const own = options['anthropic'];
  if (!hasOnly(options, ['anthropic']) || !isFields(own) || !hasOnly(own, ['cacheControl']))
    return undefined;
  return isFields(own['cacheControl'])
    ? { cache_control: own['cacheControl'] as JSONObject }
    : undefined;
}

function contentOf(message: Message): Blocks {
  switch (message.role) {
    case 'system':
      return [{ type: 'text', text: message.content }];
    case 'user':
      return mapAll(message.content, userBlock);
    case 'assistant':
      return mapAll(
        message.content.filter((part) => part.type !== 'text' || part.text !== ''),
        assistantBlock,
      );
    case 'tool':
      return mapAll(message.content, resultBlock);
  }
}

function userBlock(part: Part<'user'>): JSONObject | undefined {
  if (part.providerOptions !== undefined) return undefined;
  if (part.type === 'text') return { type: 'text', text: part.text };
  const file = fileBlock(part.mediaType, part.data);
  return file?.['type'] === 'document' && part.filename !== undefined
    ? { ...file, title: part.filename }
    : file;
}

function fileBlock(mediaType: string, data: FileData): JSONObject | undefined {
  if (data.type !== 'data' || !isString(data.data)) return undefined;
  const source = { type: 'base64', media_type: mediaType, data: data.data };
  if (/^image\/\w+$/.test(mediaType)) return { type: 'image', source };
  return mediaType === PDF ? { type: 'document', source } : undefined;
}

function assistantBlock(part: Part<'assistant'>): JSONObject | undefined {
  const options = part.providerOptions?.['anthropic'] ?? {};
  switch (part.type) {
    case 'text':
      return hasOnly(options, []) ? { type: 'text', text: part.text } : undefined;
    case 'reasoning': {
      const { signature, redactedData } = options;
      if (!hasOnly(options, ['signature', 'redactedData'])) return undefined;
      if (isString(signature) && (redactedData === undefined || isString(redactedData)))
        return { type: 'thinking', thinking: part.text, signature };
      return isString(redactedData) && signature === undefined
        ? { type: 'redacted_thinking', data: redactedData }
        : undefined;
    }
    case 'tool-call': {
      const { caller } = options;
      const isDirect = isFields(caller) && caller['type'] === 'direct';
      if (part.providerExecuted === true || !isFields(part.input)) return undefined;
      if (!hasOnly(options, ['caller']) || !(isDirect || caller === undefined)) return undefined;
      return {
        type: 'tool_use',
        id: part.toolCallId,
        name: part.toolName,
        input: part.input as JSONObject,
        ...(isDirect && { caller: { type: 'direct' } }),
      };
    }
    case 'file':
    case 'reasoning-file':
    case 'tool-result':
    case 'custom':
      return undefined;
  }
}

const isCall = ({ type }: JSONObject): boolean => type === 'tool_use';

/** In each section between thoughts, calls come last. */
function callsLast(blocks: JSONObject[]): JSONObject[] {
  const arranged: JSONObject[] = [];
  let section: JSONObject[] = [];
  const close = () => {
    arranged.push(...section.filter((block) => !isCall(block)), ...section.filter(isCall));
    section = [];
  };
  for (const block of blocks) {
    if (block['type'] === 'thinking' || block['type'] === 'redacted_thinking') {
      close();
      arranged.push(block);
    } else section.push(block);
  }
  close();
  return arranged;
}

function resultBlock(part: Part<'tool'>): JSONObject | undefined {
  if (part.type !== 'tool-result' || part.providerOptions !== undefined) return undefined;
  const content = resultContent(part.output);
  if (content === undefined) return undefined;
  const isError = part.output.type === 'error-text' || part.output.type === 'error-json';
  return {
    type: 'tool_result',
    tool_use_id: part.toolCallId,
    content,
    ...(isError && { is_error: true }),
  };
}

function resultContent(output: Output): string | JSONObject[] | undefined {
  if ('providerOptions' in output && output.providerOptions !== undefined) return undefined;
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value);
    case 'content':
      return mapAll(output.value, (part) => {
        if (part.providerOptions !== undefined) return undefined;
        if (part.type === 'text') return { type: 'text', text: part.text };
        return part.type === 'file' ? fileBlock(part.mediaType, part.data) : undefined;
      });
    case 'execution-denied':
      return undefined;
  }
}
