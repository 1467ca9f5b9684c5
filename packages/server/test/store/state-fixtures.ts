import type { ActionKind } from '@chatd/protocol';
import type { Fence } from '../../src/chat/fence.ts';
import type { State } from '../../src/chat/state.ts';
import { listVersions } from '../../src/store/queries/messages/versions.ts';
import { calls, says, type TestStore } from '@chatd/test-server/database';

/** A chat that real commands brought into a state, with the ids that further commands need. */
export interface Situation {
  readonly chatId: string;
  /** The fence of its runner or, in a state without one, of its last runner. */
  readonly fence: Fence;
  /** The first queued message, if any. */
  readonly queuedId: number;
  readonly firstMessageId: number;
  /** With two answers, the version that has the first one. */
  readonly versionId: number;
}

const FAILURE = { kind: 'generic', message: 'It broke.', retryable: false } as const;

/** A chat in its second turn: the agent has answered once. States with a queue hold one plain message. */
export async function inState(
  store: TestStore,
  state: State,
  asked: ActionKind = 'dynamic',
  answers: 1 | 2 = 1,
): Promise<Situation> {
  const { id } = await store.create();
  let fence = await store.take(id);
  const step = await store.runner.commitStep(id, fence, {
    messages: [says('hello')],
    attempt: 0,
  });
  fence = { ...fence, history_version: step.history_version };
  await store.runner.finishTurn(id, fence);
  const versionId = answers === 1 ? 0 : await answerAgain(store, id);

  const [base = 'waiting', queue] = state.split('+');
  const status = base.replace(/^archived_?/, '') || 'waiting';
  if (status !== 'waiting' && base !== 'deleted') {
    await store.client.send(id, store.message('second'));
    fence = await store.take(id);
  }
  if (queue !== undefined) await store.client.send(id, store.message('queued'));
  fence = await arrive(store, id, fence, status, asked);
  if (base.startsWith('archived')) await store.client.setArchived(id, true);
  if (base === 'deleted') await store.client.delete(id);

  const [first] = await store.history(id);
  const [queued] = await store.queue(id);
  return {
    chatId: id,
    fence,
    queuedId: queued?.id ?? 4_000_000_000,
    firstMessageId: first?.id ?? 0,
    versionId,
  };
}

/** Returns the version with the previous answer. */
async function answerAgain(store: TestStore, id: string): Promise<number> {
  const [first] = await store.history(id);
  const how = { model_config_id: null, reasoning_effort: null };
  await store.client.regenerate(id, first?.id ?? 0, how);
  const fence = await store.take(id);
  const { history_version } = await store.runner.commitStep(id, fence, {
    messages: [says('hello again')],
    attempt: 0,
  });
  await store.runner.finishTurn(id, { ...fence, history_version });
  const [version] = await store.database.query(listVersions, { chat_id: id });
  return version?.id ?? 0;
}

async function arrive(
  store: TestStore,
  id: string,
  fence: Fence,
  status: string,
  asked: ActionKind,
): Promise<Fence> {
  switch (status) {
    case 'interrupting':
      await store.client.interrupt(id);
      return fence;
    case 'requires_action': {
      const { history_version } = await store.runner.commitStep(id, fence, {
        messages: [calls('c1', 'c2')],
        attempt: 0,
      });
      const now = { ...fence, history_version };
      await store.runner.requireAction(id, now, { c1: asked, c2: asked }, 0);
      return now;
    }
    case 'error':
      await store.runner.fail(id, fence, FAILURE);
      return fence;
    default:
      return fence;
  }
}
