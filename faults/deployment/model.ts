import {
  type ScriptedAnswer,
  answer,
  type FakeProvider,
  fault,
  type Gate,
  gate,
  startFakeProvider,
  text,
  toolCall,
} from '@chatd/testing';
import { callId, effectKey, type Plan, planIn, type PlannedStep, saidIn } from './plan.ts';
import { isSummaryRequest, summaryIn, summaryWords, wronglySummarised } from './summary.ts';

type Scripted = Parameters<FakeProvider['answer']>[number];

/** A model behind HTTP that does what the last message of the user says. */
export interface PlannedModel {
  readonly provider: FakeProvider;
  /** Resolves when the step of this message stands in the middle of its text. */
  held(id: string): Promise<void>;
  release(id: string): void;
  /** How often a step was asked for. */
  asked(id: string, step: number): number;
  /** What prompts held that they should not, or did not hold that they should. */
  readonly wrongPrompts: readonly string[];
  /** How often it went wrong as it was told to, by kind. */
  readonly failures: ReadonlyMap<string, number>;
  /** Nobody will ask for this message again. */
  forget(plan: Plan): void;
}

export async function startModel(
  options: { readonly keepRequests?: boolean } = {},
): Promise<PlannedModel> {
  const provider = await startFakeProvider({ api: 'anthropic', ...options });
  const failures = new Map<string, number>();
  const gates = new Map<string, PromiseWithResolvers<Gate>>();
  const asked = new Map<string, number>();
  const wrongPrompts: string[] = [];
  const gateOf = (id: string) => {
    const known = gates.get(id) ?? Promise.withResolvers<Gate>();
    gates.set(id, known);
    return known;
  };
  provider.answerWith(({ body }) => {
    const said = textsOf(body['messages'] as WireMessage[]);
    const wrong = wronglySummarised(said.map((one) => one.text));
    if (wrong !== undefined) wrongPrompts.push(wrong);
    const found = locate(said);
    if (isSummaryRequest(said.at(-1)?.text ?? '')) return answer([text(summaryOf(said, found))]);
    if (found === undefined) return answer([text('Nothing was asked of me.')]);
    const { plan, step } = found;
    const key = effectKey(plan.id, step);
    const times = (asked.get(key) ?? 0) + 1;
    asked.set(key, times);
    const planned = plan.steps[step] ?? { say: 1 };
    if (planned.summarised === true && summaryIn(said[0]?.text ?? '') === undefined) {
      wrongPrompts.push(`the prompt of step ${key} does not begin with a summary`);
    }
    if (planned.fault !== undefined && times <= planned.fault.times) {
      const { kind } = planned.fault;
      failures.set(kind, (failures.get(kind) ?? 0) + 1);
      return FAULTS[kind as FaultKind](plan.id, play(plan.id, step, planned, undefined));
    }
    // The attempt after a takeover does not stop again.
    const pause = planned.hold === true && times === 1 ? gate() : undefined;
    if (pause !== undefined) gateOf(plan.id).resolve(pause);
    return play(plan.id, step, planned, pause);
  });
  return {
    provider,
    held: async (id) => (await gateOf(id).promise).reached,
    release: (id) => void gateOf(id).promise.then((pause) => pause.release()),
    asked: (id, step) => asked.get(effectKey(id, step)) ?? 0,
    failures,
    wrongPrompts,
    forget({ id, steps }) {
      gates.delete(id);
      // The model may have been asked once more than planned, by a takeover after the last step.
      for (let step = 0; step <= steps.length; step += 1) asked.delete(effectKey(id, step));
    },
  };
}

interface WireMessage {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
}

/** A text of a prompt, and the message that it is in. */
interface Said {
  readonly role: string;
  readonly message: number;
  readonly text: string;
}

/** A message without text, like one of tool calls alone, has an empty one. */
const textsOf = (messages: readonly WireMessage[]): Said[] =>
  messages.flatMap(({ role, content }, message) =>
    (typeof content === 'string' ? [content] : content.map((block) => block.text ?? '')).map(
      (one) => ({ role, message, text: one }),
    ),
  );

interface Located {
  readonly plan: Plan;
  readonly step: number;
}

/** The newest plan, and how far the model has come with it; a summary tells both. */
function locate(said: readonly Said[]): Located | undefined {
  for (const { role, text: one, message } of said.toReversed()) {
    if (role !== 'user') continue;
    const plan = planIn(one);
    const left = plan === undefined ? summaryIn(one)?.left : { plan, step: 0 };
    if (left !== undefined) return { ...left, step: left.step + answersAfter(said, message) };
  }
  return undefined;
}

const answersAfter = (said: readonly Said[], message: number): number =>
  new Set(
    said
      .filter((one) => one.role === 'assistant' && one.message > message)
      .map((one) => one.message),
  ).size;

/** Whatever was answered is replaced; what is under way is told. */
function summaryOf(said: readonly Said[], found: Located | undefined): string {
  const replaced = said.flatMap(({ role, text: one, message }) => {
    if (role !== 'user') return [];
    const plan = planIn(one);
    if (plan !== undefined) return answersAfter(said, message) > 0 ? [plan.id] : [];
    return summaryIn(one)?.replaced ?? [];
  });
  const isLeft = found !== undefined && found.step > 0 && found.step < found.plan.steps.length;
  return summaryWords({ replaced, ...(isLeft && { left: found }) });
}

function play(
  id: string,
  step: number,
  planned: PlannedStep,
  pause: Gate | undefined,
): ScriptedAnswer {
  const pieces = saidIn(id, step, planned);
  const middle = Math.ceil(pieces.length / 2);
  const said =
    pause === undefined ? pieces : [...pieces.slice(0, middle), pause, ...pieces.slice(middle)];
  const { call } = planned;
  const key = effectKey(id, step);
  return answer(
    [
      text(said),
      ...(call === undefined
        ? []
        : [toolCall(call.tool, call.args ?? { key, ms: call.ms ?? 0 }, { id: callId(id, step) })]),
    ],
    {
      paceMs: planned.pace ?? 0,
      ...(planned.tokens !== undefined && { usage: { input: planned.tokens } }),
    },
  );
}

/** Every way in which a provider lets us down. */
const FAULTS = {
  '429 with retry-after': () => fault.status(429, { headers: { 'retry-after': '1' } }),
  '529': () => fault.overloaded(),
  '500': () => fault.status(500),
  // What was shown of it must begin what is said in the end: a viewer may sleep through the attempt between.
  'reset mid-stream': (_, whole) => fault.reset({ afterParts: 2, of: whole }),
  'hang before the first byte': () => fault.hang({ headers: false }),
  'hang mid-stream': (_, whole) => fault.hang({ afterParts: 2, of: whole }),
  'malformed SSE': () => fault.malformedSse(),
  'cut tool JSON': () => fault.cutJson(),
  'empty answer': () => fault.emptyBody(),
  'duplicate call ids': (id: string) =>
    fault.duplicateIds({
      of: answer([
        toolCall('count', { key: `${id}/a`, ms: 0 }),
        toolCall('count', { key: `${id}/b`, ms: 0 }),
      ]),
    }),
} satisfies Record<string, (id: string, whole: ScriptedAnswer) => Scripted>;

export type FaultKind = keyof typeof FAULTS;
export const FAULT_KINDS = Object.keys(FAULTS) as FaultKind[];
