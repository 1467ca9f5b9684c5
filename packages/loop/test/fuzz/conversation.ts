import * as fc from 'fast-check';
import { TARGETS } from './targets.ts';

/** A provider-independent description of a conversation. It is plain data, so that a failing one can be kept. */
export interface Conversation {
  readonly turns: readonly Turn[];
}

export interface Turn {
  /** Index of the model in `TARGETS`. */
  readonly target: number;
  readonly attach: Attachment;
  readonly steps: readonly ConversationStep[];
  /** What happens to calls that wait for the client or an approval. */
  readonly awaited: 'answer' | 'null' | 'empty' | 'error' | 'deny' | 'interrupt';
  readonly summary: SummaryAnswer;
  readonly after: readonly After[];
}

export const ATTACHMENTS = [
  'nothing',
  'image',
  'mistyped image',
  'broken image',
  'huge image',
  'text',
  'pdf',
  'unknown',
] as const;
export type Attachment = (typeof ATTACHMENTS)[number];

export interface ConversationStep {
  readonly parts: readonly StepPart[];
  readonly finish: 'natural' | 'stop' | 'length' | 'content-filter' | 'pause';
  /** The context is nearly full after this step. */
  readonly full: boolean;
  /** The provider rejects the first attempt: the prompt does not fit. */
  readonly overflow: boolean;
  /** Stops the turn during the answer or its tools. */
  readonly stop: 'never' | 'interrupt answer' | 'interrupt tools' | 'shut down tools';
}

export type StepPart =
  | { readonly type: 'text' | 'blank' | 'reasoning' | 'search' | 'file' }
  | { readonly type: 'call'; readonly tool: ToolName; readonly args: Args; readonly id?: string };

export const TOOL_NAMES = [
  'text',
  'json',
  'nothing',
  'null',
  'image',
  'broken_image',
  'failing',
  'steering',
  'asking',
  'client',
  'web_search',
  'a.b',
  'unknown',
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

const ARGS = ['{"a":1}', '{}', '', '"text"', '[1]', 'null', '{"a":', '{"schema":{"$ref":"x"}}'];
export type Args = string;

const SUMMARY_ANSWERS = ['text', 'call', 'cut off', 'empty', 'reasoning'] as const;
export type SummaryAnswer = (typeof SUMMARY_ANSWERS)[number];

const AFTERS = ['read back', 'compact', 'delete a file'] as const;
export type After = (typeof AFTERS)[number];

const part: fc.Arbitrary<StepPart> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constantFrom('text', 'blank', 'reasoning', 'search', 'file'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        type: fc.constant('call' as const),
        tool: fc.constantFrom(...TOOL_NAMES),
        args: fc.oneof({ weight: 4, arbitrary: fc.constant('{"a":1}') }, fc.constantFrom(...ARGS)),
        id: fc.constantFrom('call_1', 'bad id/with:signs', 'x'.repeat(70)),
      },
      { requiredKeys: ['type', 'tool', 'args'] },
    ),
  },
);

const rarely = (weight: number) =>
  fc.oneof({ weight, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) });

const step: fc.Arbitrary<ConversationStep> = fc.record({
  parts: fc.array(part, { maxLength: 4 }),
  finish: fc.oneof(
    { weight: 6, arbitrary: fc.constant('natural' as const) },
    { weight: 4, arbitrary: fc.constantFrom('stop', 'length', 'content-filter', 'pause') },
  ),
  full: rarely(5),
  overflow: rarely(15),
  stop: fc.oneof(
    { weight: 9, arbitrary: fc.constant('never' as const) },
    {
      weight: 2,
      arbitrary: fc.constantFrom('interrupt answer', 'interrupt tools', 'shut down tools'),
    },
  ),
});

const turn: fc.Arbitrary<Turn> = fc.record({
  target: fc.nat({ max: TARGETS.length - 1 }),
  attach: fc.oneof(
    { weight: 3, arbitrary: fc.constant('nothing' as const) },
    { weight: 2, arbitrary: fc.constantFrom(...ATTACHMENTS) },
  ),
  steps: fc.array(step, { maxLength: 3 }),
  awaited: fc.constantFrom('answer', 'null', 'empty', 'error', 'deny', 'interrupt'),
  summary: fc.oneof(
    { weight: 4, arbitrary: fc.constant('text' as const) },
    { weight: 1, arbitrary: fc.constantFrom(...SUMMARY_ANSWERS) },
  ),
  after: fc.subarray([...AFTERS]),
});

/** Half of the conversations use one model, the others switch models between turns. */
export const conversation: fc.Arbitrary<Conversation> = fc
  .record({
    turns: fc.array(turn, { minLength: 1, maxLength: 8 }),
    singleModel: fc.boolean(),
  })
  .map(({ turns, singleModel }) => ({
    turns: singleModel ? turns.map((each) => ({ ...each, target: turns[0]?.target ?? 0 })) : turns,
  }));
