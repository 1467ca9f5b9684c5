#!/usr/bin/env node
import { nodeProblem } from './node-version.ts';

const problem = nodeProblem(process.versions.node);
if (problem === undefined) {
  await import('./command-line/start.ts');
} else {
  process.stderr.write(`${problem}\nInstall Node 24 from https://nodejs.org and try again.\n`);
  process.exitCode = 2;
}
