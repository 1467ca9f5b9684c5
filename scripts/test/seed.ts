import { configureGlobal } from 'fast-check';

/** All properties have the seed of the run, if it has one. Others print theirs when they fail. */
const seed = process.env['CHATD_TEST_SEED'];
if (seed !== undefined) configureGlobal({ seed: Number(seed) });
