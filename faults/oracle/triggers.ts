import { type Problem, violation } from './problem.ts';

/** A run of a trigger, as it is stored. */
export interface StoredRun {
  readonly id: string;
  readonly fire_time: Date | null;
  readonly delivery_id: string | null;
  readonly status: string;
  readonly chat_id: string | null;
  readonly ended_at: Date | null;
}

export interface SentDelivery {
  readonly id: string;
  readonly number: number;
  /** The runs that its copies were answered with. */
  readonly runs: Set<string>;
}

/** What is stored of triggers, and what was due and sent. */
export interface TriggerEvidence {
  readonly schedules: readonly {
    readonly id: string;
    readonly concurrency: string;
    readonly due: readonly Date[];
    readonly runs: readonly StoredRun[];
  }[];
  readonly hook: { readonly sent: readonly SentDelivery[]; readonly runs: readonly StoredRun[] };
  readonly chats: readonly {
    readonly id: string;
    readonly trigger_id: string | null;
    /** When it was created and when its turn ended, as places in the order of all commits. */
    readonly begun: number;
    readonly rested: number | undefined;
  }[];
}

/** Every due time and every delivery has one run. Resolves to the problems found. */
export const checkTriggers = (evidence: TriggerEvidence): Problem[] => [
  ...checkDueTimes(evidence),
  ...checkDeliveredRuns(evidence),
  ...runsEnd(evidence),
  ...noChatWithoutRun(evidence),
  ...queuedRunsWait(evidence),
];

function checkDueTimes({ schedules }: TriggerEvidence): Problem[] {
  return schedules.flatMap(({ due, runs }) => {
    const counts = Map.groupBy(runs, ({ fire_time }) => fire_time?.getTime());
    const wrong = due.flatMap((time) => {
      const found = counts.get(time.getTime())?.length ?? 0;
      if (found === 1) return [];
      const rule = found === 0 ? 'dueTimesRun' : 'dueTimesRunOnce';
      return [violation(rule, `${time.toISOString()} has ${found} runs`)];
    });
    const extra = runs.length - due.length;
    return extra > 0
      ? [...wrong, violation('dueTimesRunOnce', `${extra} runs were not due`)]
      : wrong;
  });
}

function checkDeliveredRuns({ hook: { sent, runs } }: TriggerEvidence): Problem[] {
  const counts = Map.groupBy(runs, ({ delivery_id }) => delivery_id);
  return sent.flatMap(({ id, runs: answered }) => {
    const found = counts.get(id)?.length ?? 0;
    return [
      ...(found > 0 ? [] : [violation('deliveriesRun', `${id} has no run`)]),
      ...(found <= 1 ? [] : [violation('deliveriesRunOnce', `${id} has ${found} runs`)]),
      ...(answered.size <= 1
        ? []
        : [violation('deliveriesRunOnce', `${id} was answered with several runs`)]),
    ];
  });
}

/** Only a schedule that skips may skip, and no run was refused or is in progress. */
function runsEnd({ schedules, hook }: TriggerEvidence): Problem[] {
  return [
    ...schedules.flatMap(({ runs, concurrency }) =>
      runs.flatMap((run) => checkEnd(run, concurrency === 'skip')),
    ),
    ...hook.runs.flatMap((run) => checkEnd(run, false)),
  ];
}

const checkEnd = ({ id, status }: StoredRun, maySkip: boolean): Problem[] =>
  status === 'done' || (maySkip && status === 'skipped')
    ? []
    : [violation('runsEnd', `the run ${id} is ${status}`)];

function noChatWithoutRun({ schedules, hook, chats }: TriggerEvidence): Problem[] {
  const used = new Set(
    [...schedules.flatMap(({ runs }) => runs), ...hook.runs].map(({ chat_id }) => chat_id),
  );
  return chats
    .filter(({ id, trigger_id }) => trigger_id !== null && !used.has(id))
    .map(({ id }) => violation('noChatWithoutRun', `no run has the chat ${id}`));
}

/** Runs that do not overlap: a chat begins after the chat of the run before has come to rest. */
function queuedRunsWait({ schedules, chats }: TriggerEvidence): Problem[] {
  return schedules
    .filter(({ concurrency }) => concurrency !== 'parallel')
    .flatMap(({ runs }) => {
      const used = new Set(runs.map(({ chat_id }) => chat_id));
      const own = chats
        .filter(({ id }) => used.has(id))
        .sort((one, other) => one.begun - other.begun);
      return own.flatMap(({ id, begun }, index) => {
        const before = own[index - 1];
        return before === undefined || (before.rested !== undefined && before.rested < begun)
          ? []
          : [
              violation(
                'queuedRunsWait',
                `the chat ${id} began before ${before.id} had come to rest`,
              ),
            ];
      });
    });
}
