import { Cell } from '../../state/cell.ts';

/** The options of a new chat besides its first message and model. */
export interface NewChatOptions {
  readonly planMode: boolean;
  readonly workspace:
    | { readonly kind: 'none' }
    | { readonly kind: 'existing'; readonly id: string }
    /** `key` makes a retry safe. */
    | { readonly kind: 'template'; readonly templateId: string; readonly key: string };
  readonly projectId?: string | undefined;
  /** Undefined: the default servers. */
  readonly mcpServerIds?: readonly string[] | undefined;
}

export const DEFAULT_OPTIONS: NewChatOptions = { planMode: false, workspace: { kind: 'none' } };

export const newChatOptions = new Cell<NewChatOptions>(DEFAULT_OPTIONS);
