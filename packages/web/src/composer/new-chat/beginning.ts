import { Cell } from '../../state/cell.ts';

/** What a new chat is begun with, besides its first message and its model. */
export interface Beginning {
  readonly planMode: boolean;
  readonly workspace:
    | { readonly kind: 'none' }
    | { readonly kind: 'existing'; readonly id: string }
    /** `key`: trying again makes no second one. */
    | { readonly kind: 'template'; readonly templateId: string; readonly key: string };
  /** Undefined: those that are on by default. */
  readonly mcpServerIds?: readonly string[] | undefined;
}

export const NOTHING_CHOSEN: Beginning = { planMode: false, workspace: { kind: 'none' } };

export const beginning = new Cell<Beginning>(NOTHING_CHOSEN);
