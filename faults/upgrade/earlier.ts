/**
 * Commits to upgrade from: for each fixture in packages/server/test/upgrade, the newest commit with its schema and a
 * worker. Add each release.
 */
export const EARLIER_REVISIONS = ['d5428d2', 'b3489d1', 'a3389c2', 'e2ed91a'] as const;
