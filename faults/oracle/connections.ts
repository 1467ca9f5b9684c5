import { type Problem, violation } from './problem.ts';

/** A replica recorded that a connection of a machine has ended. */
export interface MachineRelease {
  readonly machine_id: string;
  /** The epoch of the connection that is not held anymore. */
  readonly released: number;
  /** The epoch of the connection that has ended. */
  readonly ended: number;
}

/** The end of a connection does not release a newer one. Returns the problems found. */
export const checkReleases = (releases: readonly MachineRelease[]): Problem[] =>
  releases
    .filter(({ released, ended }) => released !== ended)
    .map(({ machine_id, released, ended }) =>
      violation(
        'releasedByEpoch',
        `the end of connection ${ended} released connection ${released} of machine ${machine_id}`,
      ),
    );
