import { MemoryBus } from '../../src/bus/memory-bus.ts';
import { describeContract } from './contract.ts';
import { silent } from './world.ts';

describeContract('in memory', async () => ({
  open: async ({ log = silent } = {}) => new MemoryBus(log),
  close: async () => undefined,
  oneProcess: true,
}));
