import type { z } from 'zod';

/**
 * A schema for every option in a package's type, except those left out on purpose. If an update adds or removes an
 * option, compilation fails until it is reviewed.
 */
export type OptionShape<Options, LeftOut extends keyof Options = never> = {
  readonly [Name in Exclude<keyof Options, LeftOut>]-?: z.ZodType;
};
