import { Cell, useCell } from '../cell.ts';

/** What the user has expanded or collapsed, by key. Kept while rows are scrolled out of view. */
export class Folds {
  readonly #chosen = new Map<string, Cell<boolean | undefined>>();

  /** Undefined: the default. */
  of(key: string): Cell<boolean | undefined> {
    const known = this.#chosen.get(key);
    if (known !== undefined) return known;
    const cell = new Cell<boolean | undefined>(undefined);
    this.#chosen.set(key, cell);
    return cell;
  }
}

/** Whether something is expanded, and a toggle. `byDefault` applies until the user has chosen. */
export function useFold(folds: Folds, key: string, byDefault = false): [boolean, () => void] {
  const cell = folds.of(key);
  const open = useCell(cell) ?? byDefault;
  return [open, () => cell.set(!open)];
}
