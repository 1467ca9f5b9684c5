import { Cell } from '../../state/cell.ts';

export const findOpen = new Cell(false);
