import { ArrowUpDown, Download, FilePlus2, FolderUp } from 'lucide-react';
import { useRef } from 'react';
import { safeText } from '../../markdown/safe-text.ts';
import { useCanEdit } from '../../state/access.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { downloadAddress } from './file-io.ts';
import { chosenItems, type UploadItem } from './upload-files.ts';

/** Uploads to a folder, and downloads it. */
export function TransferMenu({
  workspaceId,
  folder,
  disabled,
  onFiles,
}: {
  readonly workspaceId: string;
  readonly folder: string;
  readonly disabled: boolean;
  readonly onFiles: (items: UploadItem[]) => void;
}) {
  const canEdit = useCanEdit();
  const files = useRef<HTMLInputElement>(null);
  const folders = useRef<HTMLInputElement>(null);
  const place = folder === '.' ? '' : ` to ${safeText(folder)}`;
  const input = (name: 'files' | 'folder') => (
    <input
      ref={name === 'files' ? files : folders}
      type="file"
      hidden
      multiple
      aria-label={name === 'files' ? 'Files to upload' : 'Folder to upload'}
      {...(name === 'folder' && { webkitdirectory: '' })}
      onChange={({ target }) => {
        onFiles(chosenItems(target.files));
        target.value = '';
      }}
    />
  );
  return (
    <>
      {input('files')}
      {input('folder')}
      <Menu
        align="end"
        trigger={
          <IconButton
            label={canEdit ? 'Upload or download' : 'Download'}
            size="small"
            disabled={disabled}
          >
            <ArrowUpDown />
          </IconButton>
        }
      >
        {canEdit && (
          <>
            <MenuItem icon={<FilePlus2 />} onSelect={() => files.current?.click()}>
              Upload files{place}
            </MenuItem>
            <MenuItem icon={<FolderUp />} onSelect={() => folders.current?.click()}>
              Upload folder{place}
            </MenuItem>
          </>
        )}
        <MenuItem
          icon={<Download />}
          onSelect={() => download(downloadAddress(workspaceId, folder))}
        >
          {folder === '.' ? 'Download all as ZIP' : `Download ${safeText(folder)} as ZIP`}
        </MenuItem>
      </Menu>
    </>
  );
}

/** Unlike a navigation, a failure does not replace this page. */
function download(address: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = '';
  link.click();
}
