export { examine } from './examine.ts';
export type { Finding, Level } from './finding.ts';
