import { BookOpen, ChevronsUpDown, Keyboard, LogOut, Settings } from 'lucide-react';
import { useLocation } from 'wouter';
import { session } from '../api/session.ts';
import { openKeyboardHelp } from '../palette/palette-state.ts';
import { type Appearance, appearance } from '../state/appearance.ts';
import { useCell } from '../state/cell.ts';
import { Menu, MenuChoices, MenuItem, MenuLine } from '../ui/menu.tsx';

const CHOICES: readonly { readonly value: Appearance; readonly label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export function UserMenu() {
  const state = useCell(session.state);
  const chosen = useCell(appearance);
  const [, go] = useLocation();
  if (state.kind !== 'signed-in') return null;
  const { username, role } = state.user;
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="flex h-11 w-full min-w-0 items-center gap-2 rounded-lg px-2 text-start hover:bg-hover data-[state=open]:bg-hover"
        >
          <span
            aria-hidden
            className="flex size-7 shrink-0 items-center justify-center rounded-full bg-selected text-sm font-semibold uppercase"
          >
            {Array.from(username)[0]}
          </span>
          <span className="sr-only">Account: </span>
          <span className="min-w-0 flex-1 truncate">{username}</span>
          {role === 'admin' && <span className="text-xs text-muted">admin</span>}
          <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-muted" />
        </button>
      }
    >
      <MenuItem icon={<Settings />} onSelect={() => go('/settings')}>
        Settings
      </MenuItem>
      <MenuItem icon={<Keyboard />} keys="?" onSelect={openKeyboardHelp}>
        Keyboard shortcuts
      </MenuItem>
      <MenuItem
        icon={<BookOpen />}
        onSelect={() => window.open('/docs', '_blank', 'noopener,noreferrer')}
      >
        API documentation
      </MenuItem>
      <MenuLine />
      <MenuChoices
        label="Appearance"
        value={chosen}
        choices={CHOICES}
        onChange={(next) => appearance.set(next)}
      />
      <MenuLine />
      <MenuItem icon={<LogOut />} onSelect={() => void session.signOut()}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
