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
import { callId, effectKey, type Plan, parsePlan, type PlannedStep, stepChunks } from './plan.ts';
import { isSummaryRequest, parseSummary, formatSummary, findSummaryError } from './summary.ts';

type Scripted = Parameters<FakeProvider['answer']>[number];

/** A fake provider whose model follows the plan in the last user message. */
export interface ScriptedModel {
  readonly provider: FakeProvider;
  /** Resolves when the step of this message is paused. */
  held(id: string): Promise<void>;
  release(id: string): void;
  /** Number of requests for a step. */
  requestCount(id: string, step: number): number;
  /** Problems of prompts with regard to summaries. */
  readonly promptProblems: readonly string[];
  /** Number of injected faults by kind. */
  readonly failures: ReadonlyMap<string, number>;
  /** Discards the state of a message. */
  forget(plan: Plan): void;
}

export async function startModel(): Promise<ScriptedModel> {
  // Requests contain whole histories, and runs can be long.
  const provider = await startFakeProvider({ api: 'anthropic', keepRequests: false });
  const failures = new Map<string, number>();
  const gates = new Map<string, PromiseWithResolvers<Gate>>();
  const requestCounts = new Map<string, number>();
  const promptProblems: string[] = [];
  const gateOf = (id: string) => {
    const known = gates.get(id) ?? Promise.withResolvers<Gate>();
    gates.set(id, known);
    return known;
  };
  provider.answerWith(({ body }) => {
    const texts = textsOf(body['messages'] as WireMessage[]);
    const problem = findSummaryError(texts.map((one) => one.text));
    if (problem !== undefined) promptProblems.push(problem);
    const found = locate(texts);
    if (isSummaryRequest(texts.at(-1)?.text ?? '')) return answer([text(summaryOf(texts, found))]);
    if (found === undefined) return answer([text('The message contains no plan.')]);
    const { plan, step } = found;
    const key = effectKey(plan.id, step);
    const times = (requestCounts.get(key) ?? 0) + 1;
    requestCounts.set(key, times);
    const planned = plan.steps[step] ?? { chunks: 1 };
    if (planned.summarized === true && parseSummary(texts[0]?.text ?? '') === undefined) {
      promptProblems.push(`the prompt of step ${key} does not begin with a summary`);
    }
    if (planned.fault !== undefined && times <= planned.fault.times) {
      const { kind } = planned.fault;
      failures.set(kind, (failures.get(kind) ?? 0) + 1);
      return FAULTS[kind as FaultKind](plan.id, respond(plan.id, step, planned, undefined));
    }
    // Only the first attempt pauses.
    const pause = planned.hold === true && times === 1 ? gate() : undefined;
    if (pause !== undefined) gateOf(plan.id).resolve(pause);
    return respond(plan.id, step, planned, pause);
  });
  return {
    provider,
    held: async (id) => (await gateOf(id).promise).reached,
    release: (id) => void gateOf(id).promise.then((pause) => pause.release()),
    requestCount: (id, step) => requestCounts.get(effectKey(id, step)) ?? 0,
    failures,
    promptProblems,
    forget({ id, steps }) {
      gates.delete(id);
      // A takeover after the last step can cause one more request.
      for (let step = 0; step <= steps.length; step += 1) requestCounts.delete(effectKey(id, step));
    },
  };
}

interface WireMessage {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
}

/** A text of a prompt. */
interface PromptText {
  readonly role: string;
  readonly message: number;
  readonly text: string;
}

/** Content without text, such as a tool call, counts as an empty text. */
const textsOf = (messages: readonly WireMessage[]): PromptText[] =>
  messages.flatMap(({ role, content }, message) =>
    (typeof content === 'string' ? [content] : content.map((block) => block.text ?? '')).map(
      (one) => ({ role, message, text: one }),
    ),
  );

interface Located {
  readonly plan: Plan;
  readonly step: number;
}

/** The newest plan and its next step, from a message or a summary. */
function locate(texts: readonly PromptText[]): Located | undefined {
  for (const { role, text: one, message } of texts.toReversed()) {
    if (role !== 'user') continue;
    const plan = parsePlan(one);
    const left = plan === undefined ? parseSummary(one)?.left : { plan, step: 0 };
    if (left !== undefined) return { ...left, step: left.step + answersAfter(texts, message) };
  }
  return undefined;
}

const answersAfter = (texts: readonly PromptText[], message: number): number =>
  new Set(
    texts
      .filter((one) => one.role === 'assistant' && one.message > message)
      .map((one) => one.message),
  ).size;

/** Replaces answered messages, and includes the unfinished plan. */
function summaryOf(texts: readonly PromptText[], found: Located | undefined): string {
  const replaced = texts.flatMap(({ role, text: one, message }) => {
    if (role !== 'user') return [];
    const plan = parsePlan(one);
    if (plan !== undefined) return answersAfter(texts, message) > 0 ? [plan.id] : [];
    return parseSummary(one)?.replaced ?? [];
  });
  const isLeft = found !== undefined && found.step > 0 && found.step < found.plan.steps.length;
  return formatSummary({ replaced, ...(isLeft && { left: found }) });
}

function respond(
  id: string,
  step: number,
  planned: PlannedStep,
  pause: Gate | undefined,
): ScriptedAnswer {
  const pieces = stepChunks(id, step, planned);
  const middle = Math.ceil(pieces.length / 2);
  const content =
    pause === undefined ? pieces : [...pieces.slice(0, middle), pause, ...pieces.slice(middle)];
  const { call } = planned;
  const key = effectKey(id, step);
  return answer(
    [
      text(content),
      ...(call === undefined
        ? []
        : [toolCall(call.tool, call.args ?? { key, ms: call.ms ?? 0 }, { id: callId(id, step) })]),
    ],
    {
      paceMs: planned.paceMs ?? 0,
      ...(planned.tokens !== undefined && { usage: { input: planned.tokens } }),
    },
  );
}

/** Provider faults. */
const FAULTS = {
  '429 with retry-after': () => fault.status(429, { headers: { 'retry-after': '1' } }),
  '529': () => fault.overloaded(),
  '500': () => fault.status(500),
  // The partial text must be a prefix of the final text: a disconnected viewer can miss the retry.
  'reset mid-stream': (_, whole) => fault.reset({ afterParts: 2, of: whole }),
  'hang before the first byte': () => fault.hang({ headers: false }),
  'hang mid-stream': (_, whole) => fault.hang({ afterParts: 2, of: whole }),
  'malformed SSE': () => fault.malformedSse(),
  'truncated tool JSON': () => fault.cutJson(),
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
