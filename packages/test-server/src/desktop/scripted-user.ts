import { answer, type CapturedRequest, type Scripted, text, toolCall } from '@chatd/testing';
import { decodePng } from '../../../server/src/desktop/picture/decode-png.ts';
import type { Framebuffer } from '../../../server/src/desktop/rfb/framebuffer.ts';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
  readonly source?: { readonly data: string };
}

/** What a model was shown last, as it was sent to it. */
export interface Shown {
  /** How many screenshots there are in its prompt. */
  readonly count: number;
  readonly screen: Framebuffer | undefined;
}

/** What a model does next, told from the last screenshot alone; a text ends its turn. */
export type Decide = (
  step: number,
  shown: Shown,
) => Record<string, unknown> | string | Promise<Record<string, unknown> | string>;

export interface ScriptedAgent {
  /** How its first message begins. */
  readonly task: string;
  readonly decide: Decide;
}

/** The blocks of a request to Anthropic, in their order. */
function blocksOf({ body }: CapturedRequest): Block[] {
  const messages = body['messages'] as { content: string | readonly Block[] }[];
  return messages.flatMap(({ content }): readonly Block[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  );
}

/** Whose turn it is, and what a model that looks at the screen would do. */
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

/** Models that decide by what they are shown; whoever else asks wants a title. */
export const decideAs =
  (agents: readonly ScriptedAgent[]) =>
  async (request: CapturedRequest): Promise<Scripted> => {
    const [first] = blocksOf(request);
    const agent = agents.find(({ task }) => first?.text?.startsWith(task));
    return agent === undefined ? answer([text('A title')]) : await next(agent, request);
  };
