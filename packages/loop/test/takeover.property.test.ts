import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AwaitedTool,
  type History,
  type HistoryMessage,
  MemoryHistory,
  runTurn,
  SUMMARY_TOOL,
  type Tool,
} from '@chatd/loop';
import { ManualClock } from '@chatd/loop/testing';
import { partsOf, user } from './support/chat.ts';
import { called, finish, said, scriptedModel, usage } from './support/scripted-model.ts';
import { counted } from './support/tools.ts';

/*
 * A turn is killed at every crash point, like with kill -9: nothing that the dead owner still does has an effect. A
 * successor continues from the committed history alone.
 */

const TOOLS = ['pure', 'effect', 'broken', 'client', 'unknown'] as const;
interface Step {
  calls: (typeof TOOLS)[number][];
  full: boolean;
  cut: boolean;
}
type Script = Step[];

const exhaustive = process.env['CHATD_TEST_ALL'] === '1';
const TIMEOUT_MS = exhaustive ? 3_600_000 : 60_000;

class Killed extends Error {}

/** A process that dies at its n-th crash point: before and after each write, and during each tool. */
class SimulatedProcess {
  #left: number;
  dead = false;
  crashPoints = 0;
  constructor(left: number) {
    this.#left = left;
  }
  crashPoint(): void {
    if (this.dead) throw new Killed();
    this.crashPoints++;
    if (--this.#left === 0) {
      this.dead = true;
      throw new Killed();
    }
  }
}

function historyFor(owner: SimulatedProcess, history: MemoryHistory): History {
  const write = async <T>(perform: () => Promise<T>): Promise<T> => {
    owner.crashPoint();
    const result = await perform();
    owner.crashPoint();
    return result;
  };
  return {
    read: () => (owner.dead ? Promise.reject(new Killed()) : history.read()),
    beginAttempt: () => write(() => history.beginAttempt()),
    beginTools: (ids) => write(() => history.beginTools(ids)),
    recordRetry: (retry) => write(() => history.recordRetry(retry)),
    commit: (messages) => write(() => history.commit(messages)),
    requireAction: (calls) => write(() => history.requireAction(calls)),
    finishTurn: () => write(() => history.finishTurn()),
    finishInterruption: (partial) => write(() => history.finishInterruption(partial)),
    fail: (error) => write(() => history.fail(error)),
  };
}

const stepSeen = (prompt: LanguageModelV4CallOptions['prompt']): number =>
  [...JSON.stringify(prompt).matchAll(/step (\d+)/g)].reduce(
    (max, [, n]) => Math.max(max, Number(n)),
    -1,
  );

/** Derives the answer from the prompt, so that a repeated call gets the same answer. */
function respond(script: Script, call: LanguageModelV4CallOptions): LanguageModelV4StreamPart[] {
  const seen = stepSeen(call.prompt);
  const request = JSON.stringify(call.prompt.at(-1));
  if (request.includes('Answer with the summary alone'))
    return [...said(`up to step ${seen}`), finish('stop')];
  const step = script[seen + 1];
  const used = usage(step?.full === true ? 90 : 10);
  const calls = (step?.calls ?? []).flatMap((name, n) => called(name, { n }, `c${seen + 1}-${n}`));
  const reason = calls.length === 0 ? 'stop' : step?.cut === true ? 'length' : 'tool-calls';
  return [...said(`step ${seen + 1}`), ...calls, finish(reason, used)];
}

interface RunResult {
  messages: HistoryMessage[];
  effects: Map<string, number>;
  crashPoints: number;
}

/** Runs a script to its end. After each crash, a new process takes over. */
async function run(script: Script, crashes: readonly number[]): Promise<RunResult> {
  const history = new MemoryHistory([user('go')]);
  const effects = new Map<string, number>();
  const client: AwaitedTool = { name: 'client', input: {}, answeredBy: 'client' };
  let crashPoints = 0;
  for (let n = 0; ; n++) {
    const owner = new SimulatedProcess(crashes[n] ?? Infinity);
    const during = (work: (id: string) => string, idempotent: boolean, name: string): Tool =>
      counted(
        name,
        async (_, { callId }) => {
          owner.crashPoint();
          const result = work(callId);
          await Promise.resolve();
          owner.crashPoint();
          return result;
        },
        idempotent,
      );
    const tools: Tool[] = [
      during((id) => `pure ${id}`, true, 'pure'),
      during(
        (id) => (effects.set(id, (effects.get(id) ?? 0) + 1), `effect ${id}`),
        false,
        'effect',
      ),
      counted('broken', () => {
        throw new Error('broken');
      }),
      client,
    ];
    const model = scriptedModel([]);
    model.doStream = (call) =>
      Promise.resolve({ stream: ReadableStream.from(respond(script, call)) as never });
    try {
      const outcome = await runTurn({
        model,
        history: historyFor(owner, history),
        tools,
        clock: new ManualClock(),
        settings: { context_limit: 100, compaction_threshold: 80 },
      });
      crashPoints += owner.crashPoints;
      if (outcome.type !== 'requires_action')
        return { messages: history.messages, effects, crashPoints };
      history.answer(
        outcome.calls.map((c) => ({ tool_call_id: c.tool_call_id, result: 'from the client' })),
      );
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      crashPoints += owner.crashPoints;
      // The process died after the chat started to wait: the client has the calls and answers them.
      if (history.status === 'requires_action') {
        history.answer(
          history.awaited.map((c) => ({ tool_call_id: c.tool_call_id, result: 'from the client' })),
        );
      }
    }
    history.takeOver();
  }
}

/** Expects the same history, except for calls of `effect` whose outcome is unknown. */
function expectSame(end: RunResult, undisturbed: RunResult): void {
  const unknown = new Set(
    partsOf(end.messages, 'tool-result')
      .filter(
        (r) => typeof r.result === 'string' && r.result.includes('outcome of this call is unknown'),
      )
      .map((r) => r.tool_call_id),
  );
  const masked = (messages: HistoryMessage[]) =>
    messages.map((message) => ({
      ...message,
      content: message.content.map((part) => {
        if (part.type !== 'tool-result' && part.type !== 'tool-call') return part;
        // Each summary has a unique id.
        if (part.tool_name === SUMMARY_TOOL) return { ...part, tool_call_id: SUMMARY_TOOL };
        const isUnknown = part.type === 'tool-result' && unknown.has(part.tool_call_id);
        return isUnknown ? { id: part.tool_call_id } : part;
      }),
    }));
  expect(masked(end.messages)).toEqual(masked(undisturbed.messages));
  for (const call of partsOf(end.messages, 'tool-call')) {
    const times = end.effects.get(call.tool_call_id) ?? 0;
    if (unknown.has(call.tool_call_id)) expect(call.tool_name).toBe('effect');
    else expect(times).toBe(undisturbed.effects.get(call.tool_call_id) ?? 0);
    expect(times).toBeLessThanOrEqual(1);
  }
}

const script: fc.Arbitrary<Script> = fc.array(
  fc.record({
    calls: fc.array(fc.constantFrom(...TOOLS), { minLength: 1, maxLength: 3 }),
    full: fc.boolean(),
    cut: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  }),
  { maxLength: 4 },
);

test(
  'a turn that is killed at any crash point and resumed ends with the same history, and no effect happens twice',
  async () => {
    await fc.assert(
      fc.asyncProperty(script, async (steps) => {
        const undisturbed = await run(steps, []);
        for (let at = 1; at <= undisturbed.crashPoints; at++)
          expectSame(await run(steps, [at]), undisturbed);
      }),
      { numRuns: exhaustive ? 300 : 12 },
    );
  },
  TIMEOUT_MS,
);

test(
  'a turn whose successors are killed, too, ends with the same history',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        script,
        fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 8 }),
        async (steps, crashes) => {
          expectSame(await run(steps, crashes), await run(steps, []));
        },
      ),
      { numRuns: exhaustive ? 2_000 : 60 },
    );
  },
  TIMEOUT_MS,
);
