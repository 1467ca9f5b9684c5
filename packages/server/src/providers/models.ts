import type { ConfiguredModel } from '@chatd/loop';

/** A model config, ready to be called on behalf of a user. */
export interface ChatModel extends ConfiguredModel {
  readonly configId: string;
  /** Where its calls go, for those who watch them. */
  readonly url?: string;
  /** Writes the summaries, when the config names another one for it. */
  readonly summary?: ChatModel;
}

/** Where the worker gets its models from. */
export interface Models {
  /**
   * The model of a config, with the user's own key where an admin allows one. Throws a `ProviderError` that a person
   * understands (`missing_key`, `provider_disabled`, `config`) when it cannot be called.
   */
  forChat(configId: string, userId: string): Promise<ChatModel>;
  /** The model that titles this config's chats: the one it names for that, or itself. */
  forTitle(configId: string, userId: string): Promise<ChatModel>;
}
