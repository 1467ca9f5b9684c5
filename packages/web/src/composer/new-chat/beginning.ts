import { Cell } from '../../state/cell.ts';

/** The options of a new chat besides its first message and model. */
export interface Beginning {
  readonly planMode: boolean;
  readonly workspace:
    | { readonly kind: 'none' }
    | { readonly kind: 'existing'; readonly id: string }
    /** `key` makes a retry safe. */
    | { readonly kind: 'template'; readonly templateId: string; readonly key: string };
  /** Undefined: the default servers. */
  readonly mcpServerIds?: readonly string[] | undefined;
}

export const NOTHING_CHOSEN: Beginning = { planMode: false, workspace: { kind: 'none' } };

export const beginning = new Cell<Beginning>(NOTHING_CHOSEN);
