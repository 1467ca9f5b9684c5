import type { ChatError } from '@chatd/protocol';

/** An error as guests see it: amounts, groups, and what the provider said are for the owner. */
export function errorForGuest({ detail: _, provider: __, ...error }: ChatError): ChatError {
  if (error.kind !== 'spend_limit') return error;
  return { ...error, message: 'A spending limit of the owner of this chat is reached.' };
}
