import type { Conversation } from './conversation.ts';

/** Conversations that the fuzzer found to break a chat, as it shrank them. */
export const CASES: readonly Conversation[] = [];
