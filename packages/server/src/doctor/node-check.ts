import { nodeProblem } from '../node-version.ts';
import { broken, type Check, ok } from './finding.ts';

export const nodeCheck: Check = {
  name: 'node',
  async look() {
    const { node } = process.versions;
    const problem = nodeProblem(node);
    return [
      problem === undefined
        ? ok('node', `Node ${node} on ${process.platform}-${process.arch}.`)
        : broken('node', problem, 'Install Node 24 from https://nodejs.org.'),
    ];
  },
};
