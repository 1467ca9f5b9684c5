import { Cell, useCell } from '../cell.ts';

/** What somebody has folded or unfolded in a chat, by what it is of: it stays so when it is scrolled away and back. */
export class Folds {
  readonly #chosen = new Map<string, Cell<boolean | undefined>>();

  /** Undefined: as it is by itself. */
  of(key: string): Cell<boolean | undefined> {
    const known = this.#chosen.get(key);
    if (known !== undefined) return known;
    const cell = new Cell<boolean | undefined>(undefined);
    this.#chosen.set(key, cell);
    return cell;
  }
}

/** Whether something is unfolded, and the other way round. `byItself` counts until somebody has chosen. */
export function useFold(folds: Folds, key: string, byItself = false): [boolean, () => void] {
  const cell = folds.of(key);
  const open = useCell(cell) ?? byItself;
  return [open, () => cell.set(!open)];
}
