import type { ConfiguredModel } from '@chatd/loop';

export interface ChatModel extends ConfiguredModel {
  readonly configId: string;
  /** The URL of its calls, for traces. */
  readonly url?: string;
  /** The model for compaction, if the config names another one. */
  readonly summary?: ChatModel;
}

export interface Models {
  /**
   * The model of a config, with the user's own key if an admin allows it. Throws a `ProviderError` for users
   * (`missing_key`, `provider_disabled`, `config`) if it cannot be called.
   */
  forChat(configId: string, userId: string): Promise<ChatModel>;
  /** The model that writes titles: the one named in the config, or the config's own. */
  forTitle(configId: string, userId: string): Promise<ChatModel>;
}
