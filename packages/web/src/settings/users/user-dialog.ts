import type { User } from '@chatd/protocol';

export interface UserDialogProps {
  readonly user: User;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}
