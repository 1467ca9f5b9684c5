import { Cell } from './cell.ts';

const KEY = 'chatd.layout';
const stored = read();

/** The open tab of the side panel; null while it is closed. */
export const panelTab = new Cell<string | null>(stored.panelTab ?? null);
/** On wide screens. */
export const sidebarShown = new Cell(stored.sidebarShown ?? true);
/** On narrow screens, where it covers the chat. */
export const sidebarDrawer = new Cell(false);

function read(): { panelTab?: string | null; sidebarShown?: boolean } {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as ReturnType<typeof read>;
  } catch {
    return {};
  }
}

function write(): void {
  const layout = { panelTab: panelTab.get(), sidebarShown: sidebarShown.get() };
  localStorage.setItem(KEY, JSON.stringify(layout));
}

panelTab.subscribe(write);
sidebarShown.subscribe(write);
