import type { ActionKind, BusyBehavior } from '@chatd/protocol';
import * as fc from 'fast-check';
import type { Command, Fence, Next, Seen } from './model.ts';

/**
 * A command whose targets and fence are still random numbers. `resolveDraft` applies them to the chat when the command
 * is due. Most fences are valid and most targets exist; some are wrong on purpose.
 */
export interface Draft {
  readonly kind: Command['do'];
  readonly pick: number;
  readonly behavior: BusyBehavior;
  /** The `next` of a step. */
  readonly next: Next;
  readonly wrong: number;
}

const CLIENT = [
  ['send', 30],
  ['edit', 4],
  ['regenerate', 4],
  ['select', 6],
  ['delete_queued', 4],
  ['move_queued', 4],
  ['promote', 5],
  ['interrupt', 8],
  ['submit', 6],
  ['decide', 5],
  ['reply', 5],
  ['compact', 3],
  ['archive', 3],
  ['unarchive', 4],
  ['rename', 2],
  ['delete', 1],
  ['restore', 4],
] as const;
const RUNNER = [
  ['take_up', 12],
  ['sweep', 3],
  ['wait_for_capacity', 2],
  ['release', 2],
  ['begin', 6],
  ['retry', 2],
  ['say', 12],
  ['call', 12],
  ['answer', 10],
  ['summarize', 4],
  ['require', 8],
  ['finish', 16],
  ['finish_interruption', 10],
  ['fail', 3],
  ['expire', 2],
] as const;

const draftOf = (kinds: readonly (readonly [Command['do'], number])[]): fc.Arbitrary<Draft> =>
  fc.record({
    kind: fc.oneof(...kinds.map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind) }))),
    pick: fc.nat({ max: 1000 }),
    behavior: fc.constantFrom<BusyBehavior>('queue', 'steer', 'interrupt'),
    next: fc.constantFrom<Next>('nothing', 'begin_attempt', 'finish_turn'),
    wrong: fc.nat({ max: 19 }),
  });

export const clientDraft = draftOf(CLIENT);
export const runnerDraft = draftOf(RUNNER);
export const anyDraft = fc.oneof(clientDraft, runnerDraft);

const plain = (kind: Command['do'], next: Next = 'nothing'): Draft => ({
  kind,
  pick: 1,
  behavior: 'queue',
  next,
  wrong: 0,
});

const ANSWERED = [plain('take_up'), plain('say', 'finish_turn')];
const COMPACTION_REQUESTED = [...ANSWERED, plain('compact')];

/** How a sequence starts: situations that random commands alone rarely reach. */
export const opening = fc.constantFrom<readonly Draft[]>(
  [],
  ANSWERED,
  COMPACTION_REQUESTED,
  [...COMPACTION_REQUESTED, plain('take_up')],
  [plain('sweep'), plain('retry'), plain('release')],
  [plain('take_up'), plain('call'), plain('require')],
  [...ANSWERED, plain('regenerate'), ...ANSWERED],
  [...ANSWERED, plain('edit'), ...ANSWERED, plain('regenerate'), ...ANSWERED],
);

/** `view` is the chat as its actor last saw it; `name` is unique to the draft. */
export function resolveDraft(draft: Draft, view: Seen, name: string): Command {
  const { pick, wrong, next } = draft;
  const fence: Fence = {
    runner: wrong === 1 ? 'stranger' : (view.runner ?? 'nobody'),
    version: view.historyVersion - (wrong === 2 ? 1 : 0),
  };
  const attempt = wrong === 3 ? view.attempt + 1 : view.attempt;
  const users = view.history.filter((line) => line.startsWith('user: '));
  const ids = (count: number) => Array.from({ length: count }, (_, n) => `${name}-${n}`);
  const awaited = wrong === 4 ? [...view.open, 'unknown'] : view.open;
  switch (draft.kind) {
    case 'send':
      return { do: 'send', text: name, behavior: draft.behavior };
    case 'edit': {
      const target = users[pick % Math.max(users.length, 1)]?.slice('user: '.length);
      return { do: 'edit', target: wrong === 5 ? 'unknown' : (target ?? 'unknown'), text: name };
    }
    case 'regenerate': {
      const target = users[pick % Math.max(users.length, 1)]?.slice('user: '.length);
      return { do: 'regenerate', target: wrong === 5 ? 'unknown' : (target ?? 'unknown') };
    }
    case 'select':
      return {
        do: 'select',
        version:
          wrong === 5
            ? 1 + (pick % 9)
            : (view.versions[pick % Math.max(view.versions.length, 1)]?.number ?? 1),
      };
    case 'delete_queued':
    case 'promote':
      return { do: draft.kind, target: queued(view, pick) };
    case 'move_queued':
      return { do: 'move_queued', target: queued(view, pick), position: pick % 5 };
    case 'submit':
      return {
        do: 'submit',
        ids: [...asked(view, 'dynamic'), ...(wrong === 4 ? ['unknown'] : [])],
      };
    case 'decide': {
      const some = asked(view, 'approval').slice(0, 1 + (pick % 3));
      return { do: 'decide', ids: [...some, ...(wrong === 4 ? ['unknown'] : [])] };
    }
    case 'reply':
      return { do: 'reply', id: asked(view, 'question')[0] ?? 'unknown' };
    case 'rename':
      return { do: 'rename', title: wrong === 6 ? view.title : name };
    case 'take_up':
    case 'sweep':
      return { do: draft.kind, runner: name };
    case 'release':
      return { do: 'release', runner: fence.runner };
    case 'begin':
      return { do: 'begin', fence, attempt: attempt + 1 };
    case 'say':
      return { do: 'say', fence, attempt, text: name, next };
    case 'call':
      return { do: 'call', fence, attempt, ids: ids(1 + (pick % 3)), next };
    case 'summarize':
      return { do: 'summarize', fence, attempt, text: name, fails: pick % 4 === 0, next };
    case 'answer': {
      const some = awaited.slice(0, 1 + (pick % Math.max(awaited.length, 1)));
      return { do: 'answer', fence, attempt, ids: some.length === 0 ? ['unknown'] : some, next };
    }
    case 'finish_interruption':
      return { do: 'finish_interruption', fence, attempt, text: pick % 2 === 0 ? name : null };
    case 'require':
      return { do: 'require', fence, pick };
    case 'retry':
    case 'finish':
    case 'fail':
      return { do: draft.kind, fence };
    case 'wait_for_capacity':
    case 'interrupt':
    case 'compact':
    case 'archive':
    case 'unarchive':
    case 'delete':
    case 'restore':
    case 'expire':
      return { do: draft.kind };
  }
}

const asked = (view: Seen, kind: ActionKind) =>
  view.open.filter((id) => view.asked[id] === kind && !view.decided.includes(id));

const queued = (view: Seen, pick: number) =>
  view.queue[pick % Math.max(view.queue.length, 1)]?.text ?? 'unknown';
