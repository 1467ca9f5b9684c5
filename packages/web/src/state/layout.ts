import { Cell } from './cell.ts';

const KEY = 'chatd.layout';

interface Layout {
  readonly panelTab: string | null;
  readonly panelWidth: number;
  readonly panelFull: boolean;
  readonly sidebarShown: boolean;
  readonly sidebarWidth: number;
}

export const SIDEBAR_WIDTH = { initial: 288, min: 208, max: 480 } as const;
export const PANEL_WIDTH = {
  initial: Math.round(Math.min(704, innerWidth * 0.45)),
  min: 320,
  max: 2000,
} as const;

const stored = read();

/** The open tab of the side panel; null while it is closed. */
export const panelTab = new Cell<string | null>(stored.panelTab ?? null);
/** In pixels, on wide screens. */
export const panelWidth = new Cell(within(PANEL_WIDTH, stored.panelWidth));
/** The panel covers the chat, on wide screens. */
export const panelFull = new Cell(stored.panelFull ?? false);
/** On wide screens. */
export const sidebarShown = new Cell(stored.sidebarShown ?? true);
/** In pixels, on wide screens. */
export const sidebarWidth = new Cell(within(SIDEBAR_WIDTH, stored.sidebarWidth));
/** On narrow screens, where it covers the chat. */
export const sidebarDrawer = new Cell(false);

function within(
  { initial, min, max }: { readonly initial: number; readonly min: number; readonly max: number },
  width: number | undefined,
): number {
  return Number.isFinite(width) ? Math.max(min, Math.min(max, width ?? 0)) : initial;
}

function read(): Partial<Layout> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Layout>;
  } catch {
    return {};
  }
}

function write(): void {
  const layout: Layout = {
    panelTab: panelTab.get(),
    panelWidth: panelWidth.get(),
    panelFull: panelFull.get(),
    sidebarShown: sidebarShown.get(),
    sidebarWidth: sidebarWidth.get(),
  };
  localStorage.setItem(KEY, JSON.stringify(layout));
}

for (const cell of [panelTab, panelWidth, panelFull, sidebarShown, sidebarWidth])
  cell.subscribe(write);
