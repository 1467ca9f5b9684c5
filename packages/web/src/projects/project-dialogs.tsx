import { useCell } from '../state/cell.ts';
import { movingChat, newProject } from '../state/projects.ts';
import { onDemand } from '../ui/on-demand.tsx';

const NewProjectDialog = onDemand(
  async () => (await import('./new-project-dialog.tsx')).NewProjectDialog,
);
const MoveDialog = onDemand(async () => (await import('./move-dialog.tsx')).MoveDialog);

/** Dialogs that menus, shortcuts and the palette open. */
export function ProjectDialogs() {
  const creating = useCell(newProject);
  const moving = useCell(movingChat);
  return (
    <>
      {creating !== null && <NewProjectDialog chatId={creating.chatId} />}
      {moving !== null && <MoveDialog chatId={moving} />}
    </>
  );
}
