import type { Failure } from '../errors/failure.ts';
import type { Snapshot } from '../history/history.ts';
import type { HistoryMessage } from '../history/message.ts';
import { startsOf } from '../plan-calls.ts';
import { tellSpent } from '../spent-call.ts';
import type { Turn } from '../turn.ts';
import { callModel } from './call-model.ts';
import { ModelResponse } from './response.ts';
import { accountOf, stepMessage } from './step-message.ts';

export type Generated =
  | { type: 'response'; message: HistoryMessage }
  /** The output before the interrupt, if any. */
  | { type: 'interrupted'; message: HistoryMessage | undefined }
  | { type: 'overflow'; failure: Failure }
  | { type: 'failed'; failure: Failure };

/** Gets one response from the model, with as many attempts as needed. Commits nothing. */
export async function generate(turn: Turn, { messages }: Snapshot): Promise<Generated> {
  const { callIds, clock, model, publish, system } = turn;
  const started = clock.now();
  const called = await callModel(turn, {
    purpose: 'turn',
    prepared: model,
    request: { system, messages, chain: true },
    begin: () =>
      new ModelResponse({
        clock,
        publish,
        names: model.names,
        usedCallIds: () => callIds.of(messages),
      }),
  });
  switch (called.type) {
    case 'complete':
      return { type: 'response', message: await complete(turn, called.response, started) };
    case 'interrupted':
      return {
        type: 'interrupted',
        message: called.response && (await partial(turn, called.response, started)),
      };
    case 'failed': {
      const { failure } = called;
      return { type: failure.context_too_long === true ? 'overflow' : 'failed', failure };
    }
  }
}

/** Includes the calls that start as soon as it is committed. */
async function complete(
  turn: Turn,
  response: ModelResponse,
  started: number,
): Promise<HistoryMessage> {
  const content = await response.content((file) => turn.files.save(file));
  const runtimeMs = turn.clock.now() - started;
  const message = stepMessage(content, response, turn.model, { interrupted: false, runtimeMs });
  // No decisions or starts exist for calls that are not committed yet.
  const starts = startsOf(message, {}, turn.next);
  return starts.length === 0 ? message : { ...message, meta: { ...message.meta, starts } };
}

async function partial(
  turn: Turn,
  response: ModelResponse,
  started: number,
): Promise<HistoryMessage | undefined> {
  const content = await response.content((file) => turn.files.save(file));
  if (content.length === 0) {
    tellSpent(turn.spent, 'turn', accountOf(response.finish, turn.model));
    return undefined;
  }
  const runtimeMs = turn.clock.now() - started;
  return stepMessage(content, response, turn.model, { interrupted: true, runtimeMs });
}
