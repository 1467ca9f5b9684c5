import type { ChatError } from '@chatd/protocol';

/** An error as guests see it: amounts, groups, and what the provider said are for the owner. */
export function errorForGuest(error: ChatError): ChatError {
  const { detail: _, provider: __, ...shown } = error;
  if (error.kind !== 'spend_limit') return shown;
  return { ...shown, message: 'A spending limit of the owner of this chat is reached.' };
}
