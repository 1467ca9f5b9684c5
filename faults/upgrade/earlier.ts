/**
 * Commits to upgrade from: for each fixture in packages/server/test/upgrade, the newest commit with its schema and a
 * worker. b5eda8c is the first that identifies calls on machines by their time, 83529a0 is 0.2.0. Add each release.
 */
export const EARLIER_REVISIONS = ['d5428d2', 'b3489d1', 'a3389c2', 'b5eda8c', '83529a0'] as const;
