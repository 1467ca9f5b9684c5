import type { User } from '@chatd/protocol';
import { useLocation } from 'wouter';
import { useCommands } from '../state/commands.ts';
import { sectionPath, sectionsFor } from './section-list.ts';

export function useSettingsCommands({ role }: Pick<User, 'role'>): void {
  const [, navigate] = useLocation();
  useCommands(
    sectionsFor(role).map(({ id, title, words }) => ({
      id: `settings-${id}`,
      title: `Settings: ${title}`,
      group: 'Settings',
      words: `${words} preferences`,
      run: () => navigate(sectionPath(id)),
    })),
  );
}
