import type { z } from 'zod';

/**
 * A schema for every option that a package's type names, but for those left out on purpose. An update of the package
 * that adds or drops one does not compile until somebody has looked at it.
 */
export type OptionShape<Options, LeftOut extends keyof Options = never> = {
  readonly [Name in Exclude<keyof Options, LeftOut>]-?: z.ZodType;
};
