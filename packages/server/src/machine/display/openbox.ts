export interface MenuEntry {
  readonly label: string;
  readonly program: string;
  readonly command: string;
}

/** The configuration and the menu of the window manager. For each label, the first entry whose program is installed. */
export function openboxFiles(
  folder: string,
  offered: readonly MenuEntry[],
  has: (program: string) => boolean,
): { readonly settings: string; readonly menu: string } {
  const found = offered.filter(({ program }) => has(program));
  const entries = found.filter(
    ({ label }, index) => found.findIndex((one) => one.label === label) === index,
  );
  return { settings: settings(folder), menu: menu(entries) };
}

const settings = (folder: string) => `<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <theme><name>Clearlooks</name></theme>
  <desktops><number>1</number></desktops>
  <menu><file>${folder}/menu.xml</file></menu>
</openbox_config>
`;

const menu = (entries: readonly MenuEntry[]) => `<?xml version="1.0" encoding="UTF-8"?>
<openbox_menu xmlns="http://openbox.org/3.4/menu">
  <menu id="root-menu" label="Desktop">${entries.map(item).join('')}</menu>
</openbox_menu>
`;

const item = ({ label, command }: MenuEntry) =>
  `<item label="${label}"><action name="Execute"><command>${command}</command></action></item>`;
