import { openPostgresBus } from '../../src/bus/open-bus.ts';
import { createTestDatabase } from '../support/database.ts';
import { describeContract } from './contract.ts';
import { silent } from './world.ts';

describeContract('in PostgreSQL', async () => {
  const { url } = await createTestDatabase();
  return { open: ({ log = silent } = {}) => openPostgresBus({ url, log }) };
});
