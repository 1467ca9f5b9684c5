import { broken, type Check, ok } from './finding.ts';

const LEAST = { major: 22, minor: 18 };

export const nodeCheck: Check = {
  name: 'node',
  async look() {
    const { node } = process.versions;
    const [major = 0, minor = 0] = node.split('.').map(Number);
    const enough = major > LEAST.major || (major === LEAST.major && minor >= LEAST.minor);
    return [
      enough
        ? ok('node', `Node ${node} on ${process.platform}-${process.arch}`)
        : broken(
            'node',
            `Node ${node} is too old.`,
            `Install Node ${LEAST.major}.${LEAST.minor} or newer.`,
          ),
    ];
  },
};
