import { useCell } from '../state/cell.ts';
import { COMMAND_GROUPS, commands } from '../state/commands.ts';
import { keysLabel } from '../state/keys.ts';
import { Dialog } from '../ui/dialog.tsx';
import { closePalette } from './palette-state.ts';

/** Keys that apply in one place only and are not commands. */
const PLACES: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'Chat list',
    [
      ['Move up and down', 'arrowup arrowdown'],
      ['Open', 'enter'],
      ['Expand or collapse', 'arrowright arrowleft'],
      ['Rename', 'f2'],
      ['Move a pinned chat', 'alt+arrowup alt+arrowdown'],
      ['Delete', 'delete'],
      ['Open the menu', 'shift+f10'],
    ],
  ],
];

export default function KeyboardHelp() {
  const offered = useCell(commands);
  const groups = COMMAND_GROUPS.map((group) => {
    const members = offered.filter(
      (command) => command.group === group && command.keys !== undefined,
    );
    return [group, members.map(({ title, keys = '' }) => [title, keys] as const)] as const;
  }).filter(([, members]) => members.length > 0);
  const others = offered.length - groups.reduce((count, [, members]) => count + members.length, 0);
  return (
    <Dialog
      title="Keyboard shortcuts"
      description={`${keysLabel('mod+k')} opens the command palette, which has ${others} more commands.`}
      open
      onOpenChange={closePalette}
      wide
      text
    >
      <div className="gap-x-8 sm:columns-2">
        {[...groups, ...PLACES].map(([group, members]) => (
          <section key={group} className="mb-4 break-inside-avoid">
            <h3 className="mb-1 text-sm font-semibold text-muted">{group}</h3>
            <dl>
              {members.map(([title, keys]) => (
                <div key={title} className="flex items-center gap-3 border-b border-line py-1.5">
                  <dt className="min-w-0 flex-1">{title}</dt>
                  <dd className="flex gap-1">
                    {keys.split(' ').map((combination) => (
                      <kbd
                        key={combination}
                        className="rounded border border-line-strong bg-surface px-1.5 font-sans text-sm whitespace-nowrap"
                      >
                        {keysLabel(combination)}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
