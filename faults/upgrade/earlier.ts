/**
 * Commits to upgrade from: for each fixture in packages/server/test/upgrade, the newest commit with its schema and a
 * worker. The last one has machines, and is the first that identifies calls on them by their time. Add each release.
 */
export const EARLIER_REVISIONS = ['d5428d2', 'b3489d1', 'a3389c2', 'b5eda8c'] as const;
