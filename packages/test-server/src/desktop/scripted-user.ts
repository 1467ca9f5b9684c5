import { answer, type CapturedRequest, type Scripted, text, toolCall } from '@chatd/testing';
import { decodePng } from '../../../server/src/desktop/picture/decode-png.ts';
import type { Framebuffer } from '../../../server/src/desktop/rfb/framebuffer.ts';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
  readonly source?: { readonly data: string };
}

/** The screenshots in a model's prompt. */
export interface Shown {
  /** The number of screenshots. */
  readonly count: number;
  /** The last screenshot. */
  readonly screen: Framebuffer | undefined;
}

/** The next tool call of a model, decided from the last screenshot. A string ends the turn with that text. */
export type Decide = (
  step: number,
  shown: Shown,
) => Record<string, unknown> | string | Promise<Record<string, unknown> | string>;

export interface ScriptedAgent {
  /** The start of its first message. */
  readonly task: string;
  readonly decide: Decide;
}

/** The content blocks of a request to Anthropic, in order. */
function blocksOf({ body }: CapturedRequest): Block[] {
  const messages = body['messages'] as { content: string | readonly Block[] }[];
  return messages.flatMap(({ content }): readonly Block[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  );
}

/** The answer of an agent to a request. */
async function next(agent: ScriptedAgent, request: CapturedRequest): Promise<Scripted> {
  const blocks = blocksOf(request);
  const step = blocks.filter(({ type }) => type === 'tool_use').length;
  const pictures = blocks.flatMap(({ type, content }) =>
    type === 'tool_result' && Array.isArray(content)
      ? (content as readonly Block[]).flatMap(({ source }) => (source ? [source.data] : []))
      : [],
  );
  const last = pictures.at(-1);
  const screen = last === undefined ? undefined : await decodePng(Buffer.from(last, 'base64'));
  const decision = await agent.decide(step, { count: pictures.length, screen });
  if (typeof decision === 'string') return answer([text(decision)]);
  const { tool = 'computer', ...args } = decision;
  return answer([toolCall(String(tool), args)]);
}

/** Answers as the agent whose task starts the request. Other requests are for titles. */
export const decideAs =
  (agents: readonly ScriptedAgent[]) =>
  async (request: CapturedRequest): Promise<Scripted> => {
    const [first] = blocksOf(request);
    const agent = agents.find(({ task }) => first?.text?.startsWith(task));
    return agent === undefined ? answer([text('A title')]) : await next(agent, request);
  };
