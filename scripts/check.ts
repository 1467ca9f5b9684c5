import { ROOT, runChecks } from './checks.ts';

process.chdir(ROOT);
if ((await runChecks()) > 0) process.exitCode = 1;
