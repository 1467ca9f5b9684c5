export interface MenuEntry {
  readonly label: string;
  readonly program: string;
  readonly command: string;
}

/** The files of the window manager and of the panel. */
export interface SessionFiles {
  readonly settings: string;
  readonly menu: string;
  readonly panel: string;
}

/** The menu and the panel offer, for each label, the first entry whose program is installed. */
export function sessionFiles(
  folder: string,
  offered: readonly MenuEntry[],
  has: (program: string) => boolean,
): SessionFiles {
  const found = offered.filter(({ program }) => has(program));
  const entries = found.filter(
    ({ label }, index) => found.findIndex((one) => one.label === label) === index,
  );
  return { settings: settings(folder), menu: menu(entries), panel: panel(entries) };
}

const settings = (folder: string) => `<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <theme><name>Clearlooks</name></theme>
  <desktops><number>1</number></desktops>
  <mouse>${MOUSE.map(context).join('')}</mouse>
  <menu><file>${folder}/menu.xml</file></menu>
</openbox_config>
`;

type Binding = readonly [button: string, event: string, ...actions: string[]];

const ACTIVATE = ['Focus', 'Raise'] as const;
const SELECT: Binding = ['Left', 'Press', ...ACTIVATE];

/** Without these, openbox has bindings for windows, but none that opens the menu. */
const MOUSE: readonly (readonly [contexts: string, bindings: readonly Binding[]])[] = [
  ['Root', [['Right', 'Press', 'ShowMenu']]],
  ['Client', ['Left', 'Middle', 'Right'].map((button): Binding => [button, 'Press', ...ACTIVATE])],
  ['Titlebar', [SELECT, ['Left', 'Drag', 'Move'], ['Left', 'DoubleClick', 'ToggleMaximize']]],
  [
    'Top Right Bottom Left TLCorner TRCorner BRCorner BLCorner',
    [SELECT, ['Left', 'Drag', 'Resize']],
  ],
  [
    'Frame',
    [
      ['A-Left', 'Press', ...ACTIVATE],
      ['A-Left', 'Drag', 'Move'],
    ],
  ],
  ['Close', [SELECT, ['Left', 'Click', 'Close']]],
  ['Maximize', [SELECT, ['Left', 'Click', 'ToggleMaximize']]],
  ['Iconify', [SELECT, ['Left', 'Click', 'Iconify']]],
];

const context = ([name, bindings]: (typeof MOUSE)[number]) =>
  `<context name="${name}">${bindings.map(binding).join('')}</context>`;

const binding = ([button, event, ...actions]: Binding) =>
  `<mousebind button="${button}" action="${event}">${actions.map(action).join('')}</mousebind>`;

const action = (name: string) =>
  name === 'ShowMenu'
    ? '<action name="ShowMenu"><menu>root-menu</menu></action>'
    : `<action name="${name}"/>`;

const menu = (entries: readonly MenuEntry[]) => `<?xml version="1.0" encoding="UTF-8"?>
<openbox_menu xmlns="http://openbox.org/3.4/menu">
  <menu id="root-menu" label="Desktop">${entries.map(item).join('')}</menu>
</openbox_menu>
`;

const item = ({ label, command }: MenuEntry) =>
  `<item label="${label}"><action name="Execute"><command>${command}</command></action></item>`;

/** tint2: a button for each entry, the open windows, and the time. The numbers of backgrounds count from 1. */
const panel = (entries: readonly MenuEntry[]) => `rounded = 0
border_width = 0
background_color = #14181f 92

rounded = 4
border_width = 0
background_color = #ffffff 8
background_color_hover = #ffffff 18

rounded = 4
border_width = 0
background_color = #ffffff 20

panel_items = ${'P'.repeat(entries.length)}TC
panel_size = 100% 32
panel_position = bottom center horizontal
panel_background_id = 1
panel_padding = 6 4 6
wm_menu = 1
taskbar_padding = 6 0 6
task_text = 1
task_icon = 0
task_centered = 0
task_maximum_size = 220 26
task_padding = 8 2 8
task_font = Sans 9
task_font_color = #e6e9ef 90
task_background_id = 2
task_active_background_id = 3
mouse_left = toggle_iconify
mouse_middle = none
time1_format = %H:%M
time1_font = Sans 9
clock_font_color = #e6e9ef 100
clock_padding = 8 0
${entries.map(button).join('')}`;

const button = ({ label, command }: MenuEntry) => `
button = new
button_text = ${label}
button_font = Sans 9
button_font_color = #e6e9ef 100
button_padding = 10 2
button_background_id = 2
button_lclick_command = ${command}
`;
