export { examineMachine } from './machine-program.ts';
export { runChecks as examine } from './run-checks.ts';
export type { Finding, Level } from './finding.ts';
