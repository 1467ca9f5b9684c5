import type { FaultResult } from '../bench/report/faults.ts';
import { BUSES } from './deployment/deployment.ts';
import type { ProblemKind } from './oracle/problem.ts';
import type { Outcome } from './row.ts';
import { distributionOf } from './statistics.ts';

type Run = Pick<FaultResult, 'fault' | 'bus' | 'day' | 'load' | 'rounds' | 'chats' | 'seconds'>;

/** The result of a run, as it is stored. */
export function resultOf(run: Run, outcome: Outcome): FaultResult {
  const { times = {}, figures = [], problems, late = [], examined } = outcome;
  const count = (kind: ProblemKind) => problems.filter((problem) => problem.kind === kind).length;
  return {
    ...run,
    times: Object.fromEntries(
      Object.entries(times).map(([what, values]) => [what, distributionOf(values)]),
    ),
    figures,
    ...(examined && {
      counts: {
        lost: count('lost'),
        doubled: count('doubled'),
        stuck: count('stuck'),
        examined,
      },
    }),
    problems: problems.length,
    late,
  };
}

/** Whether a run of this size is stored, and passed. */
export const isMeasured = (
  stored: readonly FaultResult[],
  { fault, bus, rounds, chats }: Pick<Run, 'fault' | 'bus' | 'rounds' | 'chats'>,
): boolean =>
  stored.some(
    (row) =>
      row.fault === fault &&
      row.bus === bus &&
      row.rounds >= rounds &&
      (row.chats ?? 0) >= (chats ?? 0) &&
      row.problems + row.late.length === 0,
  );

/** The stored results with the measured ones replaced, in the order of the faults. Others are dropped. */
export const mergeResults = (
  faults: readonly string[],
  measured: readonly FaultResult[],
  stored: readonly FaultResult[],
): FaultResult[] => {
  const all = [...measured, ...stored];
  return faults.flatMap((name) =>
    BUSES.flatMap((bus) => all.find((row) => row.fault === name && row.bus === bus) ?? []),
  );
};
