import type { OfferedModel } from '@chatd/protocol';
import { numberIn } from '../form/numbers.ts';

/** A model to be added: one that its provider offers, or any other by its id. */
export interface ChosenModel {
  readonly id: string;
  readonly offered?: OfferedModel;
  /** Entered for models whose limit is not known. */
  readonly context_limit: string;
}

export const chosenFrom = (offered: OfferedModel): ChosenModel => ({
  id: offered.id,
  offered,
  context_limit: '',
});

export const nameOf = ({ id, offered }: ChosenModel): string => offered?.name ?? id;

export const needsLimit = ({ offered }: ChosenModel): boolean =>
  offered?.context_limit === undefined;

/** For `createModelConfig`, with what is known about the model. */
export function bodyOfChosen({ id, offered, context_limit }: ChosenModel) {
  const { name, max_output_tokens, price, reasoning_effort } = offered ?? {};
  const limit = offered?.context_limit ?? numberIn(context_limit);
  return {
    model: id,
    ...(name !== undefined && { display_name: name }),
    ...(limit !== undefined && { context_limit: limit }),
    ...(max_output_tokens !== undefined && { max_output_tokens }),
    ...(price !== undefined && { price }),
    ...(reasoning_effort !== undefined && { reasoning_effort }),
  };
}

/** The suggested model first, then well-known ones. */
export const rankOf = ({ suggested, price }: OfferedModel): number =>
  suggested === true ? 0 : price === undefined ? 2 : 1;
