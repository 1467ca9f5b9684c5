import { useCell } from '../state/cell.ts';
import { COMMAND_GROUPS, commands } from '../state/commands.ts';
import { keysLabel } from '../state/keys.ts';
import { Dialog } from '../ui/dialog.tsx';
import { closePalette } from './palette-state.ts';

/** What keys do in places, where they are no commands. */
const PLACES: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'In the list of chats',
    [
      ['Go up and down', 'arrowup arrowdown'],
      ['Open', 'enter'],
      ['Show or hide subagents', 'arrowright arrowleft'],
      ['Rename', 'f2'],
      ['Move a pinned chat', 'alt+arrowup alt+arrowdown'],
      ['Delete', 'delete'],
      ['What else can be done', 'shift+f10'],
    ],
  ],
];

/** All commands of this page, with their keys. */
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
      title="What the keyboard can do"
      description={`${others} more commands are found by their names in the palette, with ${keysLabel('mod+k')}.`}
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
