import {
  answer,
  type AnswerPart,
  type CapturedRequest,
  type Scripted,
  text,
  toolCall,
} from '@chatd/testing';

/** The progress that a prompt shows: the calls so far, by ID, and their results. */
export interface Progress {
  has(callId: string): boolean;
  /** The result as the model reads it. */
  result(callId: string): string;
  /** A string field of a JSON result. */
  field(callId: string, name: string): string;
}

export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly args: Record<string, unknown> | ((progress: Progress) => Record<string, unknown>);
}

/** One response. It is due while not all of its calls are in the prompt. */
export interface Step {
  readonly calls: readonly Call[];
  /** The text before the calls. A repeated request may get another text. */
  readonly says?: () => AnswerPart[];
  /** Whether this result makes the agent repeat the calls, with new IDs. */
  readonly again?: (result: string) => boolean;
}

export interface Agent {
  /** The beginning of its first message. */
  readonly task: string;
  readonly steps: readonly Step[];
  readonly end: string;
}

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
}

/** Answers by the prompt alone, regardless of when, how often, and by which server the model is called. */
export function decide(agents: readonly Agent[], { body }: CapturedRequest): Scripted {
  const messages = body['messages'] as { content: string | readonly Block[] }[];
  const blocks = messages.flatMap(({ content }) => blocksOf(content));
  const task = blocks[0]?.text ?? '';
  const agent = agents.find((one) => task.startsWith(one.task));
  // Any other request is for a title.
  if (agent === undefined) return answer([text('A title')]);
  const progress = progressIn(blocks);
  for (const step of agent.steps) {
    const next = callsOf(step, progress);
    if (next === undefined) continue;
    const calls = next.map(({ id, tool, args }) =>
      toolCall(tool, typeof args === 'function' ? args(progress) : args, { id }),
    );
    return answer([...(step.says?.() ?? []), ...calls]);
  }
  return answer([text(agent.end)]);
}

/** Undefined: this step is done. */
function callsOf({ calls, again }: Step, progress: Progress): readonly Call[] | undefined {
  for (let round = 1; ; round += 1) {
    const named = calls.map((call) =>
      round === 1 ? call : { ...call, id: `${call.id}_${round}` },
    );
    if (!named.every(({ id }) => progress.has(id))) return named;
    if (!named.some(({ id }) => again?.(progress.result(id)))) return undefined;
  }
}

function progressIn(blocks: readonly Block[]): Progress {
  const made = new Set(blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : [])));
  const results = new Map(
    blocks.flatMap((block) =>
      block.type === 'tool_result' ? [[block.tool_use_id, textOf(block.content ?? '')]] : [],
    ),
  );
  const result = (callId: string) => results.get(callId) ?? '';
  return {
    has: (callId) => made.has(callId),
    result,
    field: (callId, name) => (JSON.parse(result(callId)) as Record<string, string>)[name] ?? '',
  };
}

const blocksOf = (content: string | readonly Block[]): readonly Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

const textOf = (content: string | readonly Block[]): string =>
  blocksOf(content)
    .map((block) => block.text ?? '')
    .join('');
